/*
 * worker.h: a worker: a thread of a node that runs work. Without work, it asks
 * the services of its node, which may ask other nodes; then it polls the
 * network for a while, and then it sleeps.
 */
#ifndef STN_NODE_WORKER_H
#define STN_NODE_WORKER_H

#include "node/node.h"

struct stn_wait;

/* What all waits of a kind have in common. */
struct stn_wait_kind {
	/* Whether the wait is over. */
	bool (*over)(struct stn_worker *worker, const struct stn_wait *wait);

	/*
	 * Runs one item of work, as a service's work does, but from places of
	 * its own.
	 */
	bool (*work)(struct stn_worker *worker, struct stn_wait *wait);

	/*
	 * Used instead of the services' seek. Called only if the run has
	 * several nodes.
	 */
	uint64_t (*seek)(struct stn_worker *worker, struct stn_wait *wait);

	/* Used instead of the services' owed. */
	bool (*owed)(struct stn_worker *worker, const struct stn_wait *wait);
};

/*
 * A wait of a worker. Small: it lies on the stack of each call that waits, and
 * simulated nodes have small stacks.
 */
struct stn_wait {
	const struct stn_wait_kind *kind;

	/* Set by stn_worker_wait: */
	uint64_t since_ns; /* when the worker last had work */
	uint64_t seen_ns;  /* when the worker last read the clock */
	bool was_owed;	   /* whether another node owed an answer then */

	bool any_work; /* the worker may run any work, and counts as seeking */
	bool in_sync;  /* the time counts as spent in a sync */
};

/* What a worker has measured of the graph of tasks (steal/span.h). */
struct stn_graph {
	uint64_t work_ns; /* of the program's code that it has run */
	uint64_t span_ns; /* if it has run main */
	bool partial;	  /* it has also run code that belongs to no task */
};

struct stn_worker {
	struct stn_node *node;
	uint32_t number;
	pthread_t thread;
	const char *stack;	 /* address where the thread's stack began */
	void *handler_stack;	 /* for signal handlers; see stack_guard.c */
	struct stn_trace_ring *trace; /* or NULL; see trace/event.h */
	bool polling;		 /* the worker is polling the network */
	bool hurries;		 /* messages came in its last poll */
	struct stn_times times;	 /* its own; read when its thread has ended */
	struct stn_graph graph;	 /* likewise */
	uint64_t begin_ns;	 /* start of its thread */
	struct stn_wait *asleep; /* why it sleeps, or NULL */
	/*
	 * In virtual time: the wait whose steps the simulator makes;
	 * node->generation before its sleep; when that sleep ends.
	 */
	struct stn_wait *stepping;
	uint32_t generation;
	uint64_t until_ns;
	struct stn_wait idle; /* until the run ends, of a worker without task */

	/*
	 * Whether the worker is awake and without work. A hint for threads that
	 * make work: stored and loaded relaxed, pairs with nothing. The hints
	 * begin a cache line of their own.
	 */
	_Alignas(128) _Atomic(bool) hungry;

	/*
	 * Whether the worker is without work, awake or asleep. A hint, relaxed,
	 * pairs with nothing.
	 */
	_Atomic(bool) seeking;

	/*
	 * When the worker was last without work. A hint, relaxed, pairs with
	 * nothing.
	 */
	_Atomic(uint64_t) since_ns;

	/*
	 * The was_owed of its wait. A hint, relaxed, pairs with nothing.
	 */
	_Atomic(bool) owed;
};

/*
 * stn_workers_init: makes the node's workers, whose memory is zeroed; their
 * threads do not run yet.
 */
void stn_workers_init(struct stn_node *node);

/*
 * stn_workers_stop: main has returned on the root, so the workers of this node
 * end. Any thread.
 */
void stn_workers_stop(struct stn_node *node);

/*
 * stn_worker_main: the main function of a worker's thread. A worker of the root
 * runs the program's main, at first worker 0 of node 0; all others look for
 * work until the node stops.
 */
void *stn_worker_main(void *worker);

/*
 * stn_worker_wait: runs work until @wait is over. Blocks. Called on the
 * worker's own thread.
 */
void stn_worker_wait(struct stn_worker *worker, struct stn_wait *wait);

/*
 * stn_worker_talked: the worker has spent @ns more on communication, outside of
 * its waits. The worker's own thread.
 */
void stn_worker_talked(struct stn_worker *worker, uint64_t ns);

/*
 * stn_worker_help: runs one item of work that other nodes may wait for, from
 * inside a wait. Returns false if there was none. The worker's own thread.
 */
bool stn_worker_help(struct stn_worker *worker);

/*
 * stn_worker_found: the worker is about to run work that it has found. Its own
 * thread. Returns the time, or 0 if it has not read the clock.
 */
uint64_t stn_worker_found(struct stn_worker *worker);

/*
 * stn_worker_tally: completes the counts of a worker whose thread has ended or
 * is stopped for good.
 */
void stn_worker_tally(struct stn_worker *worker);

/* stn_pause: tells the processor that this thread spins. */
static inline void
stn_pause(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

#endif
