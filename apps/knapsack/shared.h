/*
 * shared.h: the best choice of items, by tasks that share the best value so
 * far.
 */
#ifndef KNAPSACK_SHARED_H
#define KNAPSACK_SHARED_H

#include "apps/knapsack/search.h"
#include "apps/show.h"

/*
 * knapsack_shared: the best choice that is worth more than @limit; if there is
 * none, the result's value is @limit. The choices of the first @depth items are
 * tasks. @show is shown meanwhile; a witness is the key of a choice.
 */
struct knapsack_choice knapsack_shared(STN_FRAME,
				       const struct knapsack *problem,
				       int depth, int64_t limit,
				       struct show *show);

#endif
