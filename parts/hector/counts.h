/*
 * counts.h: the counts of Hector on one node. The net lock guards them.
 */
#ifndef STN_PARTS_HECTOR_COUNTS_H
#define STN_PARTS_HECTOR_COUNTS_H

#include "node/stats/count.h"

struct stn_hector_counts {
	uint64_t sets_left;	 /* resident sets that have left this node */
	uint64_t sets_come;	 /* and that have come */
	uint64_t set_bytes;	 /* of their parts, when they left */
	uint64_t set_ns;	 /* from the order to the last part's leaving */
	uint64_t hector_reports; /* that the master allocator has dealt with */
	uint64_t requests_passed;    /* that it has passed on */
	uint64_t requests_held;	     /* of them, those that waited for the
				      * fractiling master to register */
	uint64_t requests_waited_ns; /* of requests, at the master allocator */
};

extern const struct stn_count_table stn_hector_counts_table;

/* stn_hector_count: the service's count; see node/service.h. */
void stn_hector_count(void *state, struct stn_tally *tally);

#endif
