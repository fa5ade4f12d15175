/*
 * price.h: the cost of a spawn and its sync of a call that is not stolen, on
 * this machine. A single one is too short to time, so a few thousand calls of
 * an empty task are timed before the run.
 */
#ifndef STN_STEAL_PRICE_H
#define STN_STEAL_PRICE_H

#include "steal/steal.h"

#define STN_SPAWN_PRICE_CALLS 1000 /* spawns in a price */

/*
 * stn_spawn_price: the nanoseconds that STN_SPAWN_PRICE_CALLS spawns and syncs
 * take beyond as many plain calls. @counted: on a node that counts every spawn.
 * Takes a fraction of a millisecond. Returns 0 if there is no memory for the
 * test.
 */
uint64_t stn_spawn_price(struct stn_steal *steal, bool counted);

#endif
