/*
 * lrs.h: the state of a node with the balancer LRS.
 */
#ifndef STN_STEAL_BALANCERS_LRS_H
#define STN_STEAL_BALANCERS_LRS_H

#include "steal/balance.h"

#define STN_LRS_NEAR 2	    /* further requests to the own cluster at a time */
#define STN_LRS_FAR 2	    /* requests to other clusters at a time */
#define STN_LRS_LIFELINES 3 /* at a time */
#define STN_LRS_SIZES 48
#define STN_LRS_LONG_US 1000000000u /* longest time that is stored or told */

/* One request is synchronous; each set of moves asks one other cluster at most.
 */
_Static_assert(2 + STN_LRS_NEAR <= STN_ASKS &&
		       1 + STN_LRS_LIFELINES <= STN_ASKS &&
		       1 + STN_LRS_NEAR + STN_LRS_FAR + STN_LRS_LIFELINES <=
			       STN_REQUESTS_MOST,
	       "LRS sends more requests than a node may have");

struct stn_lrs {
	/* lrs.c: */
	uint32_t near_out; /* further requests to its cluster that are out */
	bool alone;	   /* no other node of its cluster lives */

	/* lrs_far.c: */
	uint32_t out; /* requests to other clusters that are out, */
	uint32_t asked[STN_LRS_FAR]; /* and these clusters */
	uint32_t least_us; /* shortest round trip to any cluster, about */

	/* lrs_calls.c: */
	uint64_t took_ns[STN_LRS_SIZES]; /* duration of records of 2^i bytes and
					  * more */
	uint64_t typical_ns; /* about the median of all their durations */

	/* lrs_lifelines.c: */
	uint32_t misses;     /* synchronous requests refused in a row, */
	uint64_t missing_ns; /* and when the first was refused */
	uint32_t tied[STN_LRS_LIFELINES]; /* 1 + the victim of each lifeline, or
					   * 0 */

	struct stn_seen links[]; /* to each cluster, as measured; lrs_far.c */
};

#endif
