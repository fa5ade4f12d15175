/*
 * calls.h: what the calls of <sateen_parts.h> share. They run on a worker of
 * the caller's node, without a lock.
 */
#ifndef STN_PARTS_CALLS_H
#define STN_PARTS_CALLS_H

#include "parts/parts.h"
#include "steal/steal.h"

/*
 * stn_calls_check: ends the run if the array may not be used.
 * stn_calls_operate: lets all nodes do an operation that has no kernel, and
 * blocks until they have. @range: of COLLECT and DEAL, else NULL.
 */
void stn_calls_check(const struct stn_owner *owner,
		     const struct stn_parts *array);
void stn_calls_operate(struct stn_owner *owner, struct stn_parts *array,
		       uint8_t what, const struct stn_parts_range *range);

#endif
