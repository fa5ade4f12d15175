/*
 * briefs.h: brief summaries of far parts on their way to a node that has asked
 * for them (near.h): many in one BLOCK, whose header names no part. The payload
 * has an entry for each part: its number in 64 bits and the brief summary, up to
 * a multiple of STN_HARVEST_UNIT bytes. Net lock held.
 */
#ifndef STN_PARTS_BRIEFS_H
#define STN_PARTS_BRIEFS_H

#include "parts/cells/cells.h"

struct stn_briefs {
	struct stn_parts *array;
	struct stn_block *store; /* NULL: none yet */
	size_t bytes;		 /* in it */
	uint32_t most;
};

/*
 * stn_briefs_begin: no summaries yet, of at most @most parts.
 * stn_briefs_add: adds the brief summary of a part that is here.
 * stn_briefs_note: brief summaries have arrived in @store, during a sweep with
 * a reach.
 */
struct stn_briefs stn_briefs_begin(struct stn_parts *array, uint32_t most);
void stn_briefs_add(struct stn_briefs *briefs, const struct stn_part *part);
void stn_briefs_note(const struct stn_parts *array, struct stn_block *store);

#endif
