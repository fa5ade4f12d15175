/*
 * bargain.h: how many of its parts a node gives to another one that asks for
 * some: as many as make both finish at the same time, if that saves more time
 * than it takes to send them. For schedulers. Net lock held.
 */
#ifndef STN_PARTS_MOVES_BARGAIN_H
#define STN_PARTS_MOVES_BARGAIN_H

#include "parts/parts.h"

/*
 * How much of the time the workers of this node have waited for pieces, over
 * the last sweeps of its parts.
 */
struct stn_usage {
	uint64_t waited_ns, passed_ns;
	uint64_t counted;     /* turns in them */
	bool known;	      /* they are long enough to judge by them */
	uint64_t noted_ns;    /* when the last turn ended */
	uint64_t waits_ns;    /* since when a worker waits; 0: none does */
	uint64_t noted_swept; /* swept_ns of the pace, when the last turn ended
			       */
};

/*
 * stn_usage_begin: an operation begins.
 * stn_usage_wait: a worker finds nothing to sweep, at time @now in ns.
 * stn_usage_note: a turn has ended.
 */
void stn_usage_begin(struct stn_usage *usage, const struct stn_parts *array);
void stn_usage_wait(struct stn_usage *usage, uint64_t now);
void stn_usage_note(struct stn_usage *usage, const struct stn_parts *array);

/* What a node tells of its parts when it asks for more (struct stn_parts_ask).
 */
struct stn_progress {
	uint64_t lowest;  /* version */
	uint64_t left;	  /* sweeps, until all are at the horizon: */
	uint64_t horizon; /* so many versions beyond the lowest one */
};

/*
 * stn_progress_of: the progress of this node's parts.
 * stn_ns_per_part: the time for a sweep of a part here, with all workers of
 * this node; 0: unknown.
 */
struct stn_progress stn_progress_of(struct stn_parts *array);
uint64_t stn_ns_per_part(const struct stn_parts *array);

/*
 * stn_bargain: how many parts to give to the node that has sent @ask; 0: none.
 * @usage      of this node
 * @may_empty  this node may be left without parts
 */
uint32_t stn_bargain(struct stn_parts *array, const struct stn_usage *usage,
		     const struct stn_parts_ask *ask, bool may_empty);

#endif
