/*
 * shared.h: the shortest tour, by tasks that share the shortest length so far.
 */
#ifndef TSP_SHARED_H
#define TSP_SHARED_H

#include "apps/show.h"
#include "apps/tsp/search.h"

#define TSP_SHARED_DEPTH_MOST 10 /* hops whose places fit into a key */

/*
 * tsp_shared: the shortest tour that is shorter than @limit; if there is none,
 * its length is @limit. The first @depth hops, at most TSP_SHARED_DEPTH_MOST,
 * are tasks. @show is shown meanwhile; a witness is the order of cities.
 */
struct tsp_tour tsp_shared(STN_FRAME, const struct tsp_hop *map, int32_t cities,
			   int64_t limit, int32_t depth, struct show *show);

#endif
