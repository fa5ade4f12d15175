#include "apps/clique/graph.h"

#include <stdlib.h>

void *
clique_memory(size_t bytes)
{
	void *memory = malloc(bytes + !bytes); /* NULL only means: none */

	if (!memory)
		exit(app_complain(1, "there is no memory for %zu bytes",
				  bytes));
	return memory;
}

struct clique_graph *
clique_graph_make(int vertices)
{
	struct clique_graph head = { .vertices = vertices,
				     .words = (vertices + 63) / 64 };
	size_t bytes = clique_graph_bytes(&head);
	struct clique_graph *graph = clique_memory(bytes);

	memset(graph, 0, bytes);
	*graph = head;
	return graph;
}

void
clique_join(struct clique_graph *graph, int a, int b)
{
	clique_put(graph->bits + (ptrdiff_t)a * graph->words, b);
	clique_put(graph->bits + (ptrdiff_t)b * graph->words, a);
}

static int
degree(const struct clique_graph *graph, int vertex)
{
	return clique_count(clique_row(graph, vertex), graph->words);
}

long
clique_edges(const struct clique_graph *graph)
{
	long ends = 0;

	for (int i = 0; i < graph->vertices; i++)
		ends += degree(graph, i);
	return ends / 2;
}

/* Puts the vertex with the most neighbours first. */
static void
order_by_degree(const struct clique_graph *graph, const int32_t *degrees,
		int32_t *order)
{
	int placed = 0;

	for (int most = graph->vertices - 1; most >= 0; most--)
		for (int i = 0; i < graph->vertices; i++)
			if (degrees[i] == most)
				order[placed++] = i;
}

/* The last of the vertices that are left with the lowest degree. */
static int
lowest(const struct clique_graph *graph, const int32_t *degrees)
{
	int low = -1;

	for (int i = 0; i < graph->vertices; i++)
		if (degrees[i] >= 0 && (low < 0 || degrees[i] <= degrees[low]))
			low = i;
	return low;
}

static void
order_by_width(const struct clique_graph *graph, int32_t *degrees,
	       int32_t *order)
{
	for (int place = graph->vertices - 1; place >= 0; place--) {
		int low = lowest(graph, degrees);

		order[place] = low;
		degrees[low] = -1;
		for (int i = 0; i < graph->vertices; i++)
			if (degrees[i] > 0 &&
			    clique_has(clique_row(graph, low), i))
				degrees[i]--;
	}
}

void
clique_order(const struct clique_graph *graph, bool by_width, int32_t *order)
{
	int32_t degrees[CLIQUE_VERTICES_MOST];

	for (int i = 0; i < graph->vertices; i++)
		degrees[i] = degree(graph, i);
	if (by_width)
		order_by_width(graph, degrees, order);
	else
		order_by_degree(graph, degrees, order);
}

struct clique_graph *
clique_ordered(const struct clique_graph *graph, const int32_t *order)
{
	struct clique_graph *to = clique_graph_make(graph->vertices);

	for (int i = 0; i < graph->vertices; i++)
		for (int j = 0; j < i; j++)
			if (clique_has(clique_row(graph, order[i]), order[j]))
				clique_join(to, i, j);
	return to;
}
