/*
 * numbers.h: how many cliques a graph has. The work is always the same, because
 * the tasks share nothing.
 */
#ifndef CLIQUE_NUMBERS_H
#define CLIQUE_NUMBERS_H

#include <sateen.h>

#include "apps/clique/graph.h"

/*
 * clique_number_of: the number of cliques of @size vertices, if the graph has
 * no larger ones.
 * @alone  without tasks
 */
uint64_t clique_number_of(STN_FRAME, const struct clique_graph *graph, int size,
			  bool alone);

/*
 * clique_number_maximal: the number of maximal cliques: those that no vertex
 * can be added to. (C. Bron and J. Kerbosch, 1973, with the choice of pivots by
 * E. Tomita and others, 2006.)
 */
uint64_t clique_number_maximal(STN_FRAME, const struct clique_graph *graph,
			       bool alone);

#endif
