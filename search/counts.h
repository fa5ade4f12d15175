/*
 * counts.h: the counts of the service of bounds. Net lock held.
 */
#ifndef STN_SEARCH_COUNTS_H
#define STN_SEARCH_COUNTS_H

#include "node/stats/count.h"

struct stn_search_counts {
	uint64_t made;	     /* bounds that this node has made; of these, */
	uint64_t limited;    /* those with a limit that excludes a value */
	uint64_t improved;   /* improvements by tasks of this node */
	uint64_t sent;	     /* incumbents and limits to other nodes; of these, */
	uint64_t told;	     /* those that want an answer */
	uint64_t answered;   /* answers that came */
	uint64_t unanswered; /* answers that did not come any more */
	uint64_t arrived;    /* incumbents and limits from others; of these, */
	uint64_t late;	     /* those no better than this node's */
	uint64_t changed;    /* how often incumbents and limits have changed */
};

extern const struct stn_count_table stn_search_counts_table;

/* stn_search_count: the service's count; see node/service.h. */
void stn_search_count(void *search, struct stn_tally *tally);

#endif
