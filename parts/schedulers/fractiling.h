/*
 * fractiling.h: the scheduler fractiling on one node (fractiling.c), for the
 * file that packs its state when a resident set moves. Net lock held.
 *
 * stn_fractiling_want: asks the master for parts, if it is time for that.
 * stn_fractiling_begin: the set on this node, and the master if it is here,
 * begin with the current operation, unless they have.
 * stn_fractiling_packed_tiles: the tiles in the state of a set, @count bytes,
 * as stn_fractiling_pack makes it; NULL if it is malformed. The others: see
 * struct stn_scheduler.
 */
#ifndef STN_PARTS_SCHEDULERS_FRACTILING_H
#define STN_PARTS_SCHEDULERS_FRACTILING_H

#include "parts/schedulers/fractiling_grants.h"

void stn_fractiling_want(struct stn_parts *array);
void stn_fractiling_begin(struct stn_parts *array);
const struct stn_tile *
stn_fractiling_packed_tiles(const struct stn_parts *array, const void *bytes,
			    size_t count);
void *stn_fractiling_pack(struct stn_parts *array, size_t *bytes_p);
void stn_fractiling_expect(struct stn_parts *array);
STN_CHECKED enum stn_err stn_fractiling_unpack(struct stn_parts *array,
					       const void *bytes, size_t count);

#endif
