/*
 * node.h: a node of a run. All its state hangs off struct stn_node, so that one
 * process can hold many nodes.
 *
 * A node has one thread for each worker (worker.h) and one progress thread
 * (progress.h). The progress thread sleeps on the network's descriptor and
 * handles messages while all workers compute. Services (service.h) handle the
 * messages. Locks, in the order in which a thread takes them:
 *
 *	net	 the transport; handlers and most calls of services run under it
 *	...	 the locks of services
 *	event	 sleeping and waking (sleep.h)
 *
 * In virtual time (emul/sim.h) a node is one fiber, the fiber of its only
 * worker. The simulator does the work of the progress thread, and no thread
 * ever waits for a lock.
 */
#ifndef STN_NODE_NODE_H
#define STN_NODE_NODE_H

#include <pthread.h>

#include "node/config.h"
#include "node/members.h"
#include "node/service.h"
#include "node/stats/mails.h"

struct stn_cores;
struct stn_live;
struct stn_sim;
struct stn_speed;
struct stn_message_log;
struct stn_trace_ring;

/* What the process does for its node; launch/ fills it in. */
struct stn_host {
	/*
	 * The run has failed for the reason @text. @missed is the node whose
	 * death is the reason, or STN_NOBODY. Tells the user and the other
	 * nodes, and ends the process. Any thread.
	 */
	void (*fail)(void *arg, uint32_t missed, const char *text);

	/*
	 * The transport has found that node @rank is dead; @how says how it
	 * knows. Returns at once; a new view follows, in which that node or
	 * this one is dead. Any thread. NULL: the run doesn't survive deaths.
	 */
	void (*suspect)(void *arg, uint32_t rank, const char *how);

	/*
	 * This node has been told to leave and has handed over its work. Tells
	 * the sequencer, and ends the node: in a simulation a little later,
	 * else it doesn't return. Any thread. NULL: nodes can't leave.
	 */
	void (*left)(void *arg, uint32_t rank);

	/* On the root: all nodes have applied @view. Any thread. */
	void (*applied)(void *arg, uint32_t view);

	/*
	 * Main has returned on this node with @status, and its output is
	 * written. Any thread. NULL: the host need not know.
	 */
	void (*returned)(void *arg, int status);

	/*
	 * On the root, when main has returned and all nodes of @view have sent
	 * their counts: @line says how many nodes have died or left, and ends
	 * without a newline. The host prints the newest line when the run ends,
	 * whatever becomes of this node. Net lock held. NULL: the root prints
	 * the line itself.
	 */
	void (*summary)(void *arg, uint32_t view, const char *line);

	/*
	 * On the root, twice a second: all nodes together have done @done of
	 * the @known units of work that the program has reported
	 * (STN_PROGRESS). Not after STN_PROGRESS_END, nor while the program
	 * shows a bound itself. Net lock held. NULL: the host need not know.
	 */
	void (*progress)(void *progress_arg, uint64_t done, uint64_t known);
	void *progress_arg;

	/* Blocks until all nodes have reached the end of the run. */
	enum stn_err (*barrier)(void *arg, struct stn_why *why);

	void *arg;
};

/*
 * The parts and settings that a node is made of. All pointers outlive the node.
 */
struct stn_start {
	const struct stn_config *config;
	const struct stn_topology *topology;
	uint32_t rank;
	const struct stn_service *const *services; /* ends with NULL */
	struct stn_host host;
	struct stn_sim *sim; /* the simulation; NULL: the machine's time */
	/* All nodes of the simulation, by rank; NULL: it does not run. */
	struct stn_node **nodes;
	uint64_t grace_ns; /* from the order to leave to the node's end */
	const struct stn_speed *speed; /* in virtual time (emul/speeds.h) */

	struct stn_live *live; /* where others see the node; NULL: nowhere */

	uint32_t local_nodes; /* of the run on this host, or simulated */
	uint32_t workers;
	struct stn_cores *cores; /* NULL: workers are not bound to cores */
	uint32_t first_core;	 /* core of worker 0 */

	/*
	 * Worker 0 of node 0 calls this; the run ends when it returns. If the
	 * root dies, a worker of the next root calls it.
	 */
	int (*main)(void *program, struct stn_worker *worker);
	int (*flush)(int status); /* then writes out what main has printed;
				   * returns the status to end with */
	void *program;		  /* argument of main, known to services */
	int argc;
	char **argv;
};

/*
 * The members that most messages and waits need are at the beginning: a
 * simulation has more nodes than caches have room for.
 */
struct stn_node {
	/* Copies of members of start, and the cluster of the node. */
	const struct stn_config *config;
	const struct stn_topology *topology;
	uint32_t rank, cluster;
	struct stn_sim *sim;
	uint32_t cluster_first; /* lowest rank of its cluster */
	uint32_t cluster_early; /* ranks of its cluster that are not late */

	_Atomic(bool) leaving; /* it has been told to leave; written under the
				* net lock, without which it is a hint */
	uint32_t attended;     /* a bit for each service: it is not at rest
				* (service.h); net lock held */

	const struct stn_service *const *services;
	void *states[STN_SERVICES_MOST];
	struct stn_worker *workers;
	uint32_t worker_count;
	int status;	 /* main's status; on the root */
	uint64_t run_ns; /* main's duration; on the root */
	/*
	 * Main has returned on this node: the release in run_main (worker.c)
	 * follows the store of run_ns, and pairs with the acquire in
	 * stn_trace_add_main (node/trace/trace.c).
	 */
	_Atomic(bool) ran_main;
	/*
	 * Main has begun on this node: the store follows those of the next two,
	 * and pairs with the loads in node/trace/cut.c and trace.c.
	 */
	_Atomic(bool) began_main;
	uint32_t main_worker;
	uint64_t main_begin_ns;
	bool succeeded; /* main has returned 0, on whichever node */

	/*
	 * Main has returned, so workers end. stn_workers_stop sets it before it
	 * wakes the node; pairs with the generation that a waiting worker reads
	 * before this.
	 */
	_Atomic(bool) stopping;

	/*
	 * Main must run on this node, which has become the root. The worker
	 * that swaps it for false runs main; pairs with the generation, as
	 * stopping does.
	 */
	_Atomic(bool) main_due;

	/*
	 * Sleeping and waking. The two atomics pair with each other; see
	 * sleep.c.
	 */
	_Atomic(uint32_t) sleepers;   /* number of sleeping threads */
	_Atomic(uint32_t) generation; /* increased by each wake */

	pthread_mutex_t net;
	struct stn_transport *transport;
	uint64_t answering_ns; /* time in handlers; net lock held */
	struct stn_message_log *message_log; /* or NULL; net lock held */
	struct stn_trace_ring *trace;	     /* the same (trace/event.h) */
	struct stn_progress *progress;	     /* NULL in virtual time */
	struct stn_members members;	     /* net lock held */
	/* NULL in virtual time, and without that service; see live/live.h. */
	struct stn_live *live;

	/* By the number of a kind of messages: its service. */
	uint8_t service_of[STN_KINDS_MOST]; /* from 1 on; 0: no such kind */
	struct stn_mails mails;		    /* net lock held */

	/*
	 * How far STN_SECONDS is behind while main runs again: calls that the
	 * former root has made take no time now, so the clock shows when the
	 * next of them began there. 0: main makes new calls.
	 */
	_Atomic(uint64_t) main_lag_ns;

	pthread_mutex_t event; /* see above */
	pthread_cond_t awake;

	struct stn_start start;
};

/*
 * stn_node_create: makes a node whose transport is not open yet. The caller
 * opens the transport with stn_dispatch and stn_dispatch_peer (dispatch.h) as
 * callbacks and the node as their argument.
 * stn_node_destroy: @node may be NULL.
 */
STN_CHECKED enum stn_err stn_node_create(const struct stn_start *start,
					 struct stn_node **node_p,
					 struct stn_why *why);
void stn_node_destroy(struct stn_node *node);

/*
 * stn_node_attach: gives the node its transport, which is open, and begins the
 * node's services. The caller calls it before the transport makes progress. The
 * transport remains the caller's until stn_node_run.
 */
STN_CHECKED enum stn_err stn_node_attach(struct stn_node *node,
					 struct stn_transport *transport,
					 struct stn_why *why);

/*
 * stn_node_run: runs a node, from the start of its threads to their end, when
 * main has returned on the root and all nodes have stopped. Its transport is
 * connected to all nodes; the node closes it. Blocks. On failure the host has
 * been told.
 * @status_p  on the root main's status, on others 0; EXIT_FAILURE instead of 0
 * if statistics or a message log could not be written
 */
STN_CHECKED enum stn_err stn_node_run(struct stn_node *node, int *status_p);

/* stn_node_now: the time on the node's clock, in ns. Any thread. */
uint64_t stn_node_now(const struct stn_node *node);

/* stn_node_state: the state of @service, one of the node's services. */
void *stn_node_state(const struct stn_node *node,
		     const struct stn_service *service);

/*
 * stn_node_hint: most messages and waits of the node use this memory, for as
 * long as it runs. In virtual time it is then loaded into the processor's cache
 * before it is needed; nothing else changes.
 */
void stn_node_hint(struct stn_node *node, const void *memory, size_t bytes);

/*
 * stn_node_aside: calls @call(@arg), which must not wait. In virtual time it
 * runs on the simulator's stack, so that the stacks of many nodes stay small.
 * For a worker's thread, outside of the functions that the simulator calls
 * (handlers, seek, look_after).
 */
void stn_node_aside(struct stn_node *node, void (*call)(void *arg), void *arg);

/* stn_node_kind: the kind of messages with this number; NULL: none. */
const struct stn_kind *stn_node_kind(const struct stn_node *node,
				     uint8_t number);

/* stn_node_is_root: whether this node is the root. Net lock held. */
static inline bool
stn_node_is_root(const struct stn_node *node)
{
	return node->members.root == node->rank;
}

/* stn_node_is_wide: whether node @other is in another cluster. */
bool stn_node_is_wide(const struct stn_node *node, uint32_t other);

/*
 * stn_node_fail: the run has failed: tells the host, which ends the process.
 * stn_node_miss: the same; the reason is the death of node @missed.
 * Any thread.
 */
_Noreturn void stn_node_fail(struct stn_node *node, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
_Noreturn void stn_node_miss(struct stn_node *node, uint32_t missed,
			     const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
