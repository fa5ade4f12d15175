/*
 * counts.h: the counts of the parts service on one node. The net lock guards
 * them.
 */
#ifndef STN_PARTS_COUNTS_H
#define STN_PARTS_COUNTS_H

#include "node/stats/count.h"

struct stn_parts_counts {
	uint64_t turns;	     /* parts filled, swept for a block, or measured */
	uint64_t points;     /* that kernels have computed in these turns */
	uint64_t arrays;     /* made by this node's workers */
	uint64_t given;	     /* parts that have moved to other nodes */
	uint64_t taken;	     /* parts that have moved here */
	uint64_t pieces_lan; /* pieces of halos sent to other nodes */
	uint64_t pieces_wan;
	uint64_t copies;	  /* second copies sent to other nodes */
	uint64_t copy_ns;	  /* to make first ones and send second ones */
	uint64_t copy_bytes_most; /* memory for copies: the peak of each node */
	uint64_t copied_versions; /* on the root: complete ones */
	uint64_t copied_blocks;	  /* on the root: from the last to the next */
	uint64_t last_sweep_ns; /* from the start of the last STN_SWEEPS on this
				 * node to the end of the last part here */
	uint64_t kept_versions;	  /* on the root: written to disk by all */
	uint64_t revived;	  /* parts that came from disk */
	uint64_t returned;	  /* parts that were made anew after a death */
};

extern const struct stn_count_table stn_parts_counts_table;

/* stn_parts_count: the service's count; see node/service.h. */
void stn_parts_count(void *service, struct stn_tally *tally);

#endif
