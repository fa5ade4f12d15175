/*
 * counts.h: what the parts service counts on each node. Net lock held.
 */
#ifndef STN_PARTS_COUNTS_H
#define STN_PARTS_COUNTS_H

#include "node/stats/count.h"

struct stn_parts_counts {
	uint64_t copies;	  /* second copies sent to other nodes */
	uint64_t copy_bytes_most; /* memory for copies: the peak of each node */
	uint64_t copied_versions; /* on the root: complete ones */
	uint64_t copied_blocks;	  /* on the root: from the last to the next */
	uint64_t returned;	  /* parts that were made anew after a death */
};

extern const struct stn_count_table stn_parts_counts_table;

#endif
