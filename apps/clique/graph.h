/*
 * graph.h: undirected graphs without loops, and sets of their vertices, as
 * bits.
 */
#ifndef CLIQUE_GRAPH_H
#define CLIQUE_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "apps/app.h"

#define CLIQUE_VERTICES_MOST 4096

/* How to search a graph, see search.h. Here because it travels with it. */
struct clique_rules {
	int32_t limit;	/* cliques of more vertices than that are searched */
	int32_t enough; /* a clique of that size ends the search */
	int32_t depth;	/* vertices that tasks choose, before searches go on */
	int32_t maxsat; /* whether the bound is that of maxsat.c */
};

/*
 * A graph. Without pointers, so that it can be a buffer. Vertices are numbers
 * from 0 on. Each has a row of words with a bit for each of its neighbours.
 */
struct clique_graph {
	int32_t vertices, words;
	struct clique_rules rules;
	uint64_t bits[];
};

/* clique_graph_bytes: the bytes of the graph. */
static inline size_t
clique_graph_bytes(const struct clique_graph *graph)
{
	return offsetof(struct clique_graph, bits) +
	       (size_t)graph->vertices * (size_t)graph->words *
		       sizeof(uint64_t);
}

/* clique_row: the neighbours of a vertex. */
static inline const uint64_t *
clique_row(const struct clique_graph *graph, int vertex)
{
	return graph->bits + (ptrdiff_t)vertex * graph->words;
}

static inline void
clique_put(uint64_t *set, int vertex)
{
	set[vertex / 64] |= 1ull << vertex % 64;
}

static inline void
clique_take(uint64_t *set, int vertex)
{
	set[vertex / 64] &= ~(1ull << vertex % 64);
}

static inline bool
clique_has(const uint64_t *set, int vertex)
{
	return set[vertex / 64] >> vertex % 64 & 1;
}

static inline void
clique_copy(uint64_t *to, const uint64_t *set, int words)
{
	for (int i = 0; i < words; i++)
		to[i] = set[i];
}

/* clique_common: the vertices of both sets. Returns whether there are any. */
static inline bool
clique_common(uint64_t *to, const uint64_t *a, const uint64_t *b, int words)
{
	uint64_t any = 0;

	for (int i = 0; i < words; i++)
		any |= to[i] = a[i] & b[i];
	return any;
}

/* clique_meet: whether two sets have a common vertex. */
static inline bool
clique_meet(const uint64_t *a, const uint64_t *b, int words)
{
	uint64_t any = 0;

	for (int i = 0; i < words; i++)
		any |= a[i] & b[i];
	return any;
}

/* clique_count: the number of vertices of a set. */
static inline int
clique_count(const uint64_t *set, int words)
{
	int count = 0;

	for (int i = 0; i < words; i++)
		count += __builtin_popcountll(set[i]);
	return count;
}

/* clique_none: whether a set is empty. */
static inline bool
clique_none(const uint64_t *set, int words)
{
	return !clique_meet(set, set, words);
}

/*
 * clique_memory: allocates memory, which the caller frees. If there is none, a
 * line says so, and the process ends.
 */
void *clique_memory(size_t bytes);

/* clique_graph_make: a graph without edges, which the caller frees. */
struct clique_graph *clique_graph_make(int vertices);

/* clique_join: adds an edge between two vertices. */
void clique_join(struct clique_graph *graph, int a, int b);

/* clique_edges: the number of edges. */
long clique_edges(const struct clique_graph *graph);

/*
 * clique_order: puts the vertices into the order of a search into @order. By
 * degree: the highest first; of equal degrees, the lowest number first. By
 * width: takes the vertex of the lowest degree again and again, and puts it
 * before those that it has put already.
 */
void clique_order(const struct clique_graph *graph, bool by_width,
		  int32_t *order);

/*
 * clique_ordered: the graph whose vertex i is @graph's vertex @order[i]. The
 * caller frees it.
 */
struct clique_graph *clique_ordered(const struct clique_graph *graph,
				    const int32_t *order);

#endif
