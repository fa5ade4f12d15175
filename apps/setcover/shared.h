/*
 * shared.h: the cheapest cover, by tasks that share the lowest cost so far.
 */
#ifndef SETCOVER_SHARED_H
#define SETCOVER_SHARED_H

#include "apps/setcover/search.h"
#include "apps/show.h"

#define SETCOVER_SHARED_DEPTH_MOST 6 /* sets whose numbers fit into a key */

/*
 * setcover_shared: the cheapest cover that is cheaper than @limit; if there is
 * none, its cost is @limit. The choices of the first @depth sets, at most
 * SETCOVER_SHARED_DEPTH_MOST, are tasks. @show is shown meanwhile; a witness is
 * the array of chosen sets.
 */
struct setcover_cover setcover_shared(STN_FRAME, const struct setcover *problem,
				      int64_t limit, int32_t depth,
				      struct show *show);

#endif
