#include "apps/sip/graph.h"

#include <stdlib.h>

#include "apps/random.h"
#include "apps/words.h"

#define FILE_BYTES_MOST (1 << 27)

static bool
make_rows(struct sip_graph *graph, int vertices, struct app_why *why)
{
	graph->vertices = vertices;
	graph->words = (vertices + 63) / 64;
	graph->rows = calloc((size_t)vertices * (size_t)graph->words,
			     sizeof(*graph->rows));
	return graph->rows || app_because(why, "out of memory");
}

void
sip_graph_fini(struct sip_graph *graph)
{
	free(graph->rows);
	graph->rows = NULL;
}

/* Adds one direction of an edge. */
static void
put(struct sip_graph *graph, int from, int to)
{
	graph->rows[(size_t)from * (size_t)graph->words + (size_t)to / 64] |=
		1ull << to % 64;
}

static bool
read_vertex(struct words *words, struct sip_graph *graph, int vertex)
{
	int last = graph->vertices - 1;
	long degree, to;

	if (!words_whole(words, "a vertex's degree", 0, last + 1, &degree))
		return false;
	while (degree--) {
		if (!words_whole(words, "a neighbour", 0, last, &to))
			return false;
		if (sip_graph_has(graph, vertex, (int)to))
			return words_fail(words,
					  "neighbour %ld comes twice for "
					  "vertex %d",
					  to, vertex);
		put(graph, vertex, (int)to);
	}
	return true;
}

static bool
is_symmetric(struct words *words, const struct sip_graph *graph)
{
	for (int a = 0; a < graph->vertices; a++)
		for (int b = 0; b < graph->vertices; b++)
			if (sip_graph_has(graph, a, b) &&
			    !sip_graph_has(graph, b, a))
				return words_fail(words,
						  "vertex %d has the neighbour "
						  "%d, but %d lacks %d",
						  a, b, b, a);
	return true;
}

static bool
read_vertices(struct words *words, struct sip_graph *graph)
{
	for (int vertex = 0; vertex < graph->vertices; vertex++)
		if (!read_vertex(words, graph, vertex))
			return false;
	if (words_next(words))
		return words_fail(words, "'%s' after the last vertex",
				  words->word);
	/* If the file were cut within its last number, nothing would tell. */
	if (words->end[-1] > ' ')
		return words_fail(words, "the file ends within a line");
	return is_symmetric(words, graph);
}

bool
sip_graph_parse(const char *path, const char *text, size_t bytes,
		struct sip_graph *graph, struct app_why *why)
{
	struct words words = { path, text, text + bytes, why, 1, '\n', "" };
	long vertices;

	if (!words_whole(&words, "the number of vertices", 1, SIP_VERTICES_MOST,
			 &vertices) ||
	    !make_rows(graph, (int)vertices, why))
		return false;
	if (read_vertices(&words, graph))
		return true;
	sip_graph_fini(graph);
	return false;
}

bool
sip_graph_read(const char *path, struct sip_graph *graph, struct app_why *why)
{
	size_t bytes;
	char *text = app_read_file(path, FILE_BYTES_MOST, &bytes, why);
	bool read = text && sip_graph_parse(path, text, bytes, graph, why);

	free(text);
	return read;
}

bool
sip_graph_random(struct sip_graph *graph, int vertices, int percent,
		 uint64_t seed, struct app_why *why)
{
	struct app_random random = { seed };

	if (!make_rows(graph, vertices, why))
		return false;
	for (int a = 0; a < vertices; a++)
		for (int b = 0; b < a; b++)
			if (app_random(&random, 100) < (uint64_t)percent) {
				put(graph, a, b);
				put(graph, b, a);
			}
	return true;
}

/* Moves @chosen vertices of all to the front, in random order. */
static void
choose(uint16_t *vertex, int all, int chosen, uint64_t seed)
{
	struct app_random random = { seed };

	for (int i = 0; i < all; i++)
		vertex[i] = (uint16_t)i;
	for (int i = 0; i < chosen; i++) {
		int other = i + (int)app_random(&random, (uint64_t)(all - i));
		uint16_t swapped = vertex[i];

		vertex[i] = vertex[other];
		vertex[other] = swapped;
	}
}

bool
sip_graph_plant(struct sip_graph *graph, const struct sip_graph *from,
		int vertices, uint64_t seed, struct app_why *why)
{
	uint16_t vertex[SIP_VERTICES_MOST];

	if (!make_rows(graph, vertices, why))
		return false;
	choose(vertex, from->vertices, vertices, seed);
	for (int a = 0; a < vertices; a++)
		for (int b = 0; b < vertices; b++)
			if (sip_graph_has(from, vertex[a], vertex[b]))
				put(graph, a, b);
	return true;
}
