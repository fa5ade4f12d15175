/*
 * counts.h: the counts of the stealing service. Each worker has its own counts;
 * the node has one more set, under the net lock. They are added up when the
 * workers have ended. The thief counts steal requests.
 *
 * Part of the workers' working time is overhead of the parallelisation, which a
 * sequential program would not have: the spawns and syncs, at the price that
 * price.h has measured. That price includes the cost of counting. A run can't
 * measure how long the sequential program would take.
 */
#ifndef STN_STEAL_COUNTS_H
#define STN_STEAL_COUNTS_H

#include <stdatomic.h>

#include "node/stats/count.h"

/* Steal requests of one kind, and their answers. */
struct stn_steals {
	uint64_t asked, granted, refused;
	uint64_t cancelled; /* refused after this node cancelled them */
};

/* Counted by a worker. */
struct stn_owner_counts {
	uint64_t spawned;
	uint64_t executed_here;	     /* run on the node that spawned them */
	uint64_t executed_elsewhere; /* run here, spawned on another node */
	uint64_t stolen_node; /* stolen from another worker of this node */
	uint64_t stolen_lan, stolen_wan; /* run here, from other nodes */
	uint64_t lent;	     /* records of this worker that left the node */
	uint64_t work_units; /* as told by the program (STN_WORK) */
	uint64_t logged;     /* results kept in a log */
	uint64_t resumed;    /* results taken from a log, instead of a run */
};

struct stn_steal_counts {
	struct stn_owner_counts workers; /* all of them together */

	/* Counted by the node. */
	uint64_t borrowed;  /* records from other nodes; of these, */
	uint64_t relayed;   /* those passed on to a third node, */
	uint64_t came_home; /* and those that this node had lent */
	struct stn_steals steals[2][2]; /* [asynchronous][wide] */
	uint64_t held;			/* requests still parked at the end */
	uint64_t dropped;   /* parked requests of nodes that died */
	uint64_t lost;	    /* requests and records lost with other nodes */
	uint64_t redone;    /* records run again because their holders died */
	uint64_t kept;	    /* results kept because their homes died */
	uint64_t reused;    /* calls that took such a result; of these, */
	uint64_t fetched;   /* those whose result had yet to arrive */
	uint64_t stale;	    /* results that no call waited for any more */
	uint64_t discarded; /* jobs that were not run, as nobody needed them */
	uint64_t bundled_sent, bundled_came; /* results in RESULTS */
	uint64_t deposited; /* results sent to other nodes, to be kept there */

	/* Computed by stn_steal_count from the counts above. */
	uint64_t executed;
	uint64_t results_lan, results_wan; /* results sent home */
	uint64_t overhead_ns; /* part of the working time; of that, */
	uint64_t counting_ns; /* the cost of counting */
};

extern const struct stn_count_table stn_steal_counts_table;

/*
 * stn_count_seen: adds one to a count of the calling worker that others read
 * while the run goes on (show.h). Relaxed: a hint.
 */
static inline void
stn_count_seen(uint64_t *count)
{
	__atomic_store_n(count, *count + 1, __ATOMIC_RELAXED);
}

/*
 * stn_count_locked: changes a count that is written under one lock only, so an
 * atomic addition is not needed. Relaxed: a hint for threads without the lock.
 */
static inline void
stn_count_locked(_Atomic(uint32_t) *count, int change)
{
	uint32_t was = atomic_load_explicit(count, memory_order_relaxed);

	atomic_store_explicit(count, was + (uint32_t)change,
			      memory_order_relaxed);
}

/* stn_steal_count: the service's count; see node/service.h. */
void stn_steal_count(void *steal, struct stn_tally *tally);

#endif
