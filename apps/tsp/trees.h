/*
 * trees.h: the shortest tour, by branch and bound with 1-trees, in tasks that
 * share the shortest length so far.
 */
#ifndef TSP_TREES_H
#define TSP_TREES_H

#include "apps/show.h"
#include "apps/tsp/branch.h"

#define TREES_DEPTH_MOST 31 /* branchings whose places fit into a key */

/*
 * trees_shared: the shortest tour that is shorter than the limit of @graph; if
 * there is none, its length is the limit. @bound and @multiplier come from
 * branch_prepare. The places of the first @depth branchings are tasks. @show is
 * shown meanwhile; a witness is the order of cities.
 */
struct branch_tour trees_shared(STN_FRAME, const struct onetree_graph *graph,
				int64_t bound, const int64_t *multiplier,
				int depth, struct show *show);

#endif
