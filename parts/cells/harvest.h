/*
 * harvest.h: what an operation on cells collects from all parts, beside folds:
 * bytes, which reports bring up the tree of the nodes to the root, and to the
 * caller (gather.h). How two harvests become one depends on the operation; the
 * order does not matter.
 */
#ifndef STN_PARTS_HARVEST_H
#define STN_PARTS_HARVEST_H

#include <stddef.h>
#include <stdint.h>

#include "transport/error.h"

/* Sizes of harvests are multiples of this, as those of folds in a report. */
#define STN_HARVEST_UNIT 16

struct stn_harvest {
	unsigned char *bytes;
	size_t size, room;
};

enum stn_harvests {
	STN_HARVEST_NONE,
	STN_HARVEST_LOWEST, /* doubles: the lowest of each */
	STN_HARVEST_SUM,    /* numbers of 64 bits: the sum of each */
	STN_HARVEST_LIST    /* entries: all of them */
};

/*
 * stn_harvest_add: joins @size bytes with @to. STN_NO_MEMORY; STN_MALFORMED if
 * they can't be joined.
 * stn_harvest_grow: makes room for @size bytes more, behind the others, and
 * zeroes them; returns NULL without memory.
 */
STN_CHECKED enum stn_err stn_harvest_add(struct stn_harvest *to,
					 enum stn_harvests how,
					 const void *from, size_t size);
unsigned char *stn_harvest_grow(struct stn_harvest *to, size_t size);
void stn_harvest_fini(struct stn_harvest *harvest);

#endif
