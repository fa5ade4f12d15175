/*
 * price.h: what a spawn and its sync cost here and now, of a call that nobody
 * steals. Too little to be timed one by one, it is measured on a few thousand
 * calls of nothing, before the run.
 */
#ifndef STN_STEAL_STATS_PRICE_H
#define STN_STEAL_STATS_PRICE_H

#include "steal/node.h"

#define STN_PRICE_CALLS 1000 /* that a price is for */

/*
 * stn_price: nanoseconds for STN_PRICE_CALLS spawns and syncs beyond what as
 * many plain calls take, on a node that counts them, or else does not. It takes
 * a fraction of a millisecond. 0 if there is no memory to try it in.
 */
uint64_t stn_price(struct stn_node *node, bool counted);

#endif
