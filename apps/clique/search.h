/*
 * search.h: the largest clique, by branch and bound. Plain C: the tasks of
 * shared.c divide the choices of the first vertices, and this search makes the
 * others.
 *
 * A place of the search has a clique and its candidates: vertices that are
 * neighbours of all its vertices. The bound says which candidates are branches:
 * without them, the candidates have no clique that is large enough. The search
 * takes each branch, the last one first, as the clique's next vertex, and then
 * removes it from the candidates.
 */
#ifndef CLIQUE_SEARCH_H
#define CLIQUE_SEARCH_H

#include <sateen.h>

#include "apps/clique/graph.h"

/* A branch: no clique of @vertex and candidates before it has more vertices. */
struct clique_branch {
	uint16_t vertex, most;
};

/*
 * clique_colour_branches: colours the candidates, each with the first colour
 * that none of its neighbours has; a clique has at most one vertex of each
 * colour (P. San Segundo and others, "An exact bit-parallel algorithm for the
 * maximum clique problem", 2011). Those whose colours are above @floor are the
 * branches, and their colours are @most.
 * @to    has room for all candidates
 * @work  has room for two sets
 * Returns the number of branches. A lower @floor adds branches to the beginning
 * of the list.
 */
int clique_colour_branches(const struct clique_graph *graph,
			   const uint64_t *candidates, int floor,
			   struct clique_branch *to, uint64_t *work);

/*
 * clique_maxsat_branches: the same with a stronger bound (maxsat.c). A lower
 * @floor may change the list in any way.
 * @work  has clique_maxsat_bytes(graph, candidates)
 */
int clique_maxsat_branches(const struct clique_graph *graph,
			   const uint64_t *candidates, int floor,
			   struct clique_branch *to, uint64_t *work);
size_t clique_maxsat_bytes(const struct clique_graph *graph, int candidates);

/* clique_branches: the one of these that the graph's rules choose. */
static inline int
clique_branches(const struct clique_graph *graph, const uint64_t *candidates,
		int floor, struct clique_branch *to, uint64_t *work)
{
	return graph->rules.maxsat ? clique_maxsat_branches(graph, candidates,
							    floor, to, work)
				   : clique_colour_branches(graph, candidates,
							    floor, to, work);
}

/* A level of a search: the branches of its place that are not searched yet. */
struct clique_level {
	uint64_t *left; /* the candidates */
	struct clique_branch *branch;
};

/*
 * The arguments of a search that begins at a place: its key, the incumbent, and
 * functions that the search calls. The value of an incumbent is the size of a
 * clique.
 */
struct clique_hunt {
	const struct clique_graph *graph;
	const struct stn_incumbent *best;
	uint64_t key;
	uint64_t chosen[CLIQUE_VERTICES_MOST / 64]; /* the clique; the caller
						     * fills its beginning */

	/* The chosen clique is larger than *best. */
	void (*found)(struct clique_hunt *hunt, int size);

	/* Called each CLIQUE_LOOK places; may be NULL. */
	void (*look)(struct clique_hunt *hunt);
	uint64_t places; /* number of places that it has looked at */

	struct clique_level *levels; /* clique_hunt_on sets these */
	uint64_t *work;
	struct stn_incumbent fixed; /* see clique_hunt_first */
};

#define CLIQUE_LOOK 16

/*
 * clique_floor: the size that a clique must exceed at the hunt's key. If the
 * incumbent is of enough vertices, no size exceeds it.
 */
static inline int
clique_floor(const struct clique_hunt *hunt)
{
	int64_t best = STN_BOUND_READ(hunt->best);

	/* An equally large clique that is later in search order is worse. */
	if (!STN_CUTS_MAX(hunt->best, best, hunt->key))
		best--;
	return best < hunt->graph->rules.enough ? (int)best
						: CLIQUE_VERTICES_MOST;
}

/*
 * clique_hunt_on: searches from the place with the @size chosen vertices and
 * the candidates.
 */
void clique_hunt_on(struct clique_hunt *hunt, const uint64_t *candidates,
		    int size);

/*
 * clique_hunt_first: finds the first clique of @wanted vertices from that place
 * on, by a search that no other one influences. There is one.
 */
void clique_hunt_first(struct clique_hunt *hunt, const uint64_t *candidates,
		       int size, int64_t wanted);

/* clique_found: reports that the chosen clique of @size vertices was found. */
void clique_found(struct clique_hunt *hunt, int size);

#endif
