/*
 * solve.h: the largest clique of a graph, by tasks that share the size so far
 * (shared.c), or by one search (alone.c). Both find the same clique.
 */
#ifndef CLIQUE_SOLVE_H
#define CLIQUE_SOLVE_H

#include "apps/clique/search.h"
#include "apps/show.h"

/* A clique, and its size. */
struct clique_best {
	int size;
	uint64_t chosen[CLIQUE_VERTICES_MOST / 64];
};

/*
 * clique_shared, clique_alone: the first in search order of the largest
 * cliques, or of those with enough vertices, by the graph's rules. If no clique
 * has more vertices than the rules' limit, the result's size is the limit.
 * clique_shared is shown by @show (apps/show.h), whose witness is the chosen
 * vertices.
 * @guesses  whether clique_guess precedes the search; its clique raises the
 *     rules' limit, and is the result if there is no larger one
 */
struct clique_best clique_shared(STN_FRAME, struct clique_graph *graph,
				 bool guesses, struct show *show);
struct clique_best clique_alone(STN_FRAME, struct clique_graph *graph,
				bool guesses);

/*
 * clique_guess: the size of a large clique, but not always the largest, in a
 * short time compared with a search. Each clique that is larger than those
 * before it is given to @hunt->found.
 */
int clique_guess(struct clique_hunt *hunt);

/*
 * clique_estimate: about how many places a search for a clique of more than
 * @limit vertices visits, in a short time.
 */
double clique_estimate(const struct clique_graph *graph, int limit);

#endif
