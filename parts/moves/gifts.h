/*
 * gifts.h: which of its parts a node gives to another one, so that the parts of
 * each node stay together. For schedulers. Net lock held.
 */
#ifndef STN_PARTS_MOVES_GIFTS_H
#define STN_PARTS_MOVES_GIFTS_H

#include "parts/parts.h"

/*
 * stn_gifts_give: gives up to @count parts to node @to. Returns how many it has
 * given: fewer than @count if workers are sweeping the others. It takes O(n log
 * n) steps for n parts.
 */
uint32_t stn_gifts_give(struct stn_parts *array, uint32_t to, uint32_t count);

#endif
