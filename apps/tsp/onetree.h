/*
 * onetree.h: lower bounds of tours by 1-trees (M. Held and R. M. Karp, "The
 * traveling-salesman problem and minimum spanning trees", parts I and II, 1970
 * and 1971).
 *
 * A 1-tree is a spanning tree of all cities but city 0, and two edges at city
 * 0. Each tour is a 1-tree, so no tour is shorter than the shortest 1-tree. A
 * city has a multiplier, which is added to the lengths of its edges. That
 * lengthens all tours by the same amount, twice the sum of the multipliers, but
 * changes which 1-tree is the shortest. An ascent looks for multipliers with
 * which the shortest 1-tree is nearly a tour: it raises the multipliers of
 * cities with too many edges.
 *
 * All lengths are integers of 1/ONETREE_UNIT, so that every machine computes
 * the same bounds.
 */
#ifndef TSP_ONETREE_H
#define TSP_ONETREE_H

#include <stdbool.h>
#include <stdint.h>

#include "apps/tsp/tsplib.h"

#define ONETREE_UNIT 1024
#define ONETREE_CITIES TSPLIB_CITIES_MOST
#define ONETREE_EDGES_MOST (ONETREE_CITIES * (ONETREE_CITIES - 1) / 2)

/* No 1-tree without forbidden edges is as long as half of this. */
#define ONETREE_FORBIDDEN (INT64_C(1) << 58)

struct onetree_edge {
	uint8_t a, b; /* cities; a < b */
	int32_t length;
};

/* The edges of which tours are made. A buffer: it has no pointers. */
struct onetree_graph {
	int32_t cities, edges;
	int64_t limit; /* the tours that are searched for are shorter */
	struct onetree_edge edge[ONETREE_EDGES_MOST];
};

/* onetree_bytes: the size of the part of @graph that has edges. */
static inline uint32_t
onetree_bytes(const struct onetree_graph *graph)
{
	return (uint32_t)(offsetof(struct onetree_graph, edge) +
			  (size_t)graph->edges * sizeof(graph->edge[0]));
}

/*
 * The tours that have the required edges and no forbidden one, and their
 * shortest 1-tree. Not initialised by its user; onetree_begin sets it.
 */
struct onetree {
	const struct onetree_graph *graph;
	int cities, required; /* numbers */
	int64_t multiplier[ONETREE_CITIES];

	/* Of the 1-tree: */
	int64_t length;			/* without the multipliers */
	int parent[ONETREE_CITIES];	/* in the tree, whose root is city 1 */
	int depth[ONETREE_CITIES];	/* in the tree */
	int degree[ONETREE_CITIES];	/* number of edges of each city */
	int home[3]; /* the nearest cities of city 0; edges to the first two */

	/* By city: */
	int needs[ONETREE_CITIES]; /* number of required edges */
	int open[ONETREE_CITIES];  /* number of edges that aren't forbidden */
	int end[ONETREE_CITIES]; /* if a path of required edges ends at the
				  * city, the path's other end */
	int64_t cost[ONETREE_CITIES][ONETREE_CITIES]; /* of edges; very low for
						       * required ones */
};

/* onetree_begin: all edges of @graph are allowed, and none is required. */
void onetree_begin(struct onetree *tree, const struct onetree_graph *graph);

/*
 * onetree_require, onetree_forbid: require or forbid the edge between two
 * cities, and all edges that tours then must or can't have. Return false if
 * there is no tour any more.
 */
bool onetree_require(struct onetree *tree, int a, int b);
bool onetree_forbid(struct onetree *tree, int a, int b);

/* onetree_is_required: whether the edge between two cities is required. */
static inline bool
onetree_is_required(const struct onetree *tree, int a, int b)
{
	return tree->cost[a][b] < 0;
}

/* onetree_edge_cost: the length of an edge with the multipliers. */
static inline int64_t
onetree_edge_cost(const struct onetree *tree, int a, int b)
{
	return tree->cost[a][b] + tree->multiplier[a] + tree->multiplier[b];
}

/*
 * onetree_grow: computes the shortest 1-tree for the multipliers. Returns
 * false if each has a forbidden edge.
 */
bool onetree_grow(struct onetree *tree);

/* onetree_is_tour: whether the 1-tree is a tour; then it is the shortest. */
bool onetree_is_tour(const struct onetree *tree);

/*
 * onetree_order: the cities of the 1-tree, which is a tour, in the direction in
 * which the second city has a lower number than the last.
 */
void onetree_order(const struct onetree *tree, uint8_t *order);

/*
 * onetree_step: changes the multipliers, after onetree_grow: cities with more
 * than two edges become more expensive. @scale, of 1/ONETREE_UNIT, says how
 * much. @last: the degrees of the 1-tree before; receives those of this one.
 */
void onetree_step(struct onetree *tree, int scale, int *last);

/*
 * onetree_penalties: for each city but 0 and 1, by how much the 1-tree becomes
 * longer if the edge to the city's parent is forbidden.
 */
void onetree_penalties(const struct onetree *tree, int64_t *penalty);

#endif
