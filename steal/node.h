/*
 * node.h: a node of a run, and its workers. All state hangs off struct
 * stn_node, so that one process can hold many nodes.
 *
 * A node has one thread for each worker, and one for progress, which sleeps on
 * the network's descriptor and answers steal requests while all workers
 * compute. Three locks, taken in this order, and never two of one kind:
 *
 *	net	 the transport, requests, the balancer. Handlers run under it
 *	inbox	 the records that came from other nodes and wait for a worker
 *	event	 sleeping and waking
 *
 * In virtual time (transport/sim.h) a node is one fiber, its worker's, and the
 * simulator does what the progress thread would; no lock is ever waited for.
 *
 * A deque's lock comes last. Spawning and syncing what nobody steals takes none
 * of them, unless somebody sleeps.
 */
#ifndef STN_STEAL_NODE_H
#define STN_STEAL_NODE_H

#include <sys/queue.h>

#include "steal/balance.h"
#include "steal/config.h"
#include "steal/deque.h"
#include "steal/overflow.h"
#include "steal/join/place.h"
#include "steal/join/plan.h"
#include "steal/stats/stats.h"
#include "steal/task.h"
#include "steal/stats/trace.h"
#include "steal/wire.h"
#include "transport/sim.h"
#include "transport/transport.h"
#include "transport/wireup/wireup.h"

#define STN_REQUESTS 8 /* the most that a node has out at once */
#define STN_HELD 64    /* the most that a node holds of others' */

struct stn_worker {
	struct stn_deque deque; /* first: a deque's worker has its address */
	struct stn_node *node;
	uint32_t number;
	const char *stack;	  /* where its thread began */
	uint64_t charged;	  /* of its deque's work; see cost.h */
	void *handler_stack;	  /* for signals, when that one is full */
	struct stn_random random; /* for victims inside the node */
	bool polling;		  /* it is one of the node's pollers */
	struct stn_overflow overflow;
	struct stn_stats stats; /* its own; read when it has ended; but lent
				 * is of those under the net lock */
	uint64_t begin_ns;	/* of its life */
	struct wait *asleep;	/* what it sleeps for, or NULL */
	pthread_t thread;

	/* Awake and without work; read by the others' spawns. */
	STN_ALIGNED _Atomic(bool) hungry;
	_Atomic(bool) seeking; /* without work, awake or not; for lenders */
	_Atomic(uint64_t) since_ns; /* when it last was; for lenders */
};

/*
 * A record that came from another node, with memory for its buffers and its
 * result. It lives from its grant until its result has left.
 */
struct stn_job {
	struct stn_record record;
	TAILQ_ENTRY(stn_job) link; /* in the inbox */
	uint64_t number;	   /* in the order of their coming there */
	struct stn_node *node;
	struct stn_request *request; /* that it answers; NULL: pushed */
	void *result;		     /* where it is to be written */
	struct stn_wire_result home; /* the header of the message it goes in */
	uint32_t from;		     /* who has sent it */
	bool wide;		     /* over a link */
	uint64_t came_ns, came_bytes;
	uint64_t bytes; /* of its buffers and its result */
	unsigned char memory[] STN_ALIGNED;
};

TAILQ_HEAD(stn_jobs, stn_job);

/* A steal request that is out. */
struct stn_request {
	bool out, landing; /* landing: granted, and the payload is coming */
	bool cancelled;
	uint32_t number;
	uint64_t asked_ns;
	struct stn_ask ask;
};

struct stn_node {
	struct stn_topology topology;
	struct stn_table table;
	uint32_t rank, cluster;
	struct stn_wireup *wireup;
	struct stn_plan plan; /* from before the workers are made */
	struct stn_sim *sim;  /* whose time is ours, or NULL: the machine's */
	double speed;	      /* of its computing, in virtual time */
	int (*body)(struct stn_frame *, int, char **);
	int argc;
	char **argv;
	int status; /* what body returned; read when worker 0 has ended */

	struct stn_worker *workers;
	uint32_t worker_count;
	struct stn_places *places; /* of the workers, or NULL; */
	uint32_t place;		   /*   the first one's */
	_Atomic(bool) stopping;	   /* main has returned: workers end */

	/* Sleeping and waking; see node.c. */
	pthread_mutex_t event;
	pthread_cond_t awake;
	_Atomic(uint32_t) sleepers;   /* who must be woken */
	_Atomic(uint32_t) generation; /* changed by each wake */

	/*
	 * Records that came from elsewhere, oldest first: those that were
	 * spawned here are apart, as either may be looked for among many.
	 */
	pthread_mutex_t inbox;
	struct stn_jobs homeward, foreign;
	uint64_t jobs;		    /* that have come so far */
	_Atomic(uint32_t) waiting;  /* how many; hints outside the lock */
	_Atomic(uint32_t) returned; /* of those, how many were spawned here */

	/* Under the net lock. */
	pthread_mutex_t net;
	struct stn_transport *transport;
	struct stn_random random;
	const struct stn_balancer *balancer;
	void *balance; /* the balancer's state */
	struct stn_request requests[STN_REQUESTS];
	uint32_t last_number;
	struct stn_held held[STN_HELD]; /* oldest first */
	_Atomic(uint32_t) held_count;	/* a hint outside */
	_Atomic(bool) synchronous;   /* such a request is out; a hint outside */
	_Atomic(uint32_t) asking;    /* how many are out; a hint outside */
	_Atomic(uint64_t) ask_at_ns; /* not before then, for synchronous ones */
	uint64_t pause_ns;	     /* after the next refusal */
	uint64_t search_at_ns;	     /* for who waits here, not before then */
	bool waited;		     /* a record did here, at the last look */
	uint64_t tick_ns;	     /* when the balancer wants the next */
	uint32_t in_transit;	     /* records pushed; not there yet */
	struct stn_trace *trace;     /* or NULL */
	struct stn_stats stats;
	struct stn_stats report;     /* a copy of stats, on its way */
	bool summed;		     /* stats has the workers' */
	struct stn_stats *all_stats; /* on node 0: everybody's */
	bool shown;		     /* they have been */
	_Atomic(uint32_t) reports;   /* of STATS, that came or left */

	/* For statistics; see report.c. */
	uint64_t price, plain_price; /* stn_price, counted and not */
	uint64_t run_ns;	     /* what the body took, on node 0 */
	FILE *stats_file;	     /* on node 0, or NULL */

	/* Also under the net lock; see progress.c. */
	uint32_t pollers;  /* workers that poll the network */
	uint64_t wakes_ns; /* when the progress thread looks again; 0: soon */
	bool hidden;	   /* the network's descriptor, to it */
	bool resting;	   /* it looks up often */
	uint32_t polls;	   /* since the first of the pollers began */

	pthread_t progress;
	_Atomic(bool) closing; /* the progress thread ends */
	int kick;	       /* an eventfd that wakes it */
	int alarm;	       /* a timerfd that does */
	int watch;	       /* an epoll with the network's descriptor */

	struct stn_config config; /* large; last, so that the rest is close */
};

/*
 * stn_node_run: the life of a node: opens the transport, meets the other
 * nodes, starts the threads; waits until node 0's body has returned and all
 * nodes have stopped. The members up to argv must be set, all else be zero.
 * @status_p  the body's status on node 0, 0 elsewhere
 * On failure the run has been broken off, and the user told.
 */
STN_CHECKED enum stn_err stn_node_run(struct stn_node *node, int *status_p);

/* stn_node_abort: ends the run of all nodes; @text says why. Any thread. */
void stn_node_abort(struct stn_node *node, const char *text);

/* stn_node_fail: ends the run, and this process, with a line for the user. */
_Noreturn void stn_node_fail(struct stn_node *node, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* stn_node_miss: as stn_node_fail, for want of node @missed. */
_Noreturn void stn_node_miss(struct stn_node *node, uint32_t missed,
			     const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* stn_node_now: the node's clock. Any thread. */
uint64_t stn_node_now(const struct stn_node *node);

/*
 * stn_node_send: counts a message and sends it. Under the net lock. What is
 * sent without @done is lost only if its receiver dies, which ends the run.
 */
void stn_node_send(struct stn_node *node, uint32_t to, enum stn_kind kind,
		   const void *header, size_t header_bytes,
		   const struct iovec *pieces, size_t count, stn_done *done,
		   void *arg);

/*
 * stn_node_count: counts a message to or from @peer, in the node's statistics
 * of what it has sent or received. Under the net lock.
 */
void stn_node_count(struct stn_node *node,
		    struct stn_mail mails[2][STN_STATS_KINDS], uint32_t peer,
		    unsigned kind, uint64_t bytes);

/* stn_node_steals: where requests of its sort are counted. */
struct stn_steals *stn_node_steals(struct stn_node *node,
				   const struct stn_ask *ask);

/* stn_node_handle, _news: the transport's; @arg is the node. */
void stn_node_handle(void *arg, const struct stn_message *message);
void stn_node_news(void *arg, uint32_t rank, enum stn_peer_state state,
		   const char *how);

/*
 * stn_node_enter, _leave: take and give back the net lock. Leaving, wakes the
 * progress thread if there is something that only it will move on.
 */
void stn_node_enter(struct stn_node *node);
void stn_node_leave(struct stn_node *node);

/*
 * stn_node_poll: progress, if no other thread is at it. Any thread without
 * the net lock; one that will do so often says when it begins and ends.
 */
void stn_node_poll(struct stn_node *node);
void stn_node_poll_begin(struct stn_node *node);
void stn_node_poll_end(struct stn_node *node, bool to_work);

/*
 * report.c, the statistics of a run. stn_report_open: before it, when it shows
 * if they can't be written. stn_report: after it, when all of the node's
 * workers have ended: tells node 0, which waits for all and shows them.
 * STN_IO if they could not be written; the user has been told.
 * stn_report_close: also after a run that broke off.
 * stn_report_broken: what the nodes of a simulation have counted so far, which
 * will go no further; by rank, and NULL for those that haven't begun.
 */
STN_CHECKED enum stn_err stn_report_open(struct stn_node *node,
					 struct stn_why *why);
STN_CHECKED enum stn_err stn_report(struct stn_node *node);
void stn_report_close(struct stn_node *node);
void stn_report_broken(struct stn_node *const *nodes, uint32_t count);

/*
 * stn_node_look_after: what the node does unasked; returns when it must look
 * again. Under the net lock.
 */
uint64_t stn_node_look_after(struct stn_node *node);

/* stn_progress_start, _stop: the progress thread's life. */
void stn_progress_start(struct stn_node *node);
void stn_progress_stop(struct stn_node *node);

/*
 * stn_node_wake: something has happened that a sleeping worker may wait for.
 * Call it after making it visible. Any thread.
 */
void stn_node_wake(struct stn_node *node);

/*
 * stn_node_sleep: sleeps until there is a record to steal on this node, or
 * somebody has called stn_node_wake since @generation was read from the node,
 * or @until_ns. Read the generation before looking for what is waited for.
 * Without @records, sleeps also while there are some.
 */
void stn_node_sleep(struct stn_node *node, uint32_t generation,
		    uint64_t until_ns, bool records);

/*
 * stn_node_doze: as stn_node_sleep, but for records, by a thread that has
 * counted itself in sleepers.
 */
void stn_node_doze(struct stn_node *node, uint32_t generation,
		   uint64_t until_ns);

/*
 * stn_node_seeking: how many workers look for work, awake or not, but that
 * which @spawned; NULL: all. Any thread; a hint.
 */
uint32_t stn_node_seeking(const struct stn_node *node,
			  const struct stn_record *spawned);

/*
 * stn_job_create: a job for a record from outside, which has been parsed; its
 * buffers and its result have memory of their own. NULL if there is none.
 */
struct stn_job *stn_job_create(struct stn_node *node,
			       const struct stn_record *record);

/* stn_job_free: after its result has left, or instead of running it. */
void stn_job_free(struct stn_job *job);

/*
 * stn_inbox_put, _take: append a job; take the oldest, or NULL. Any thread.
 * stn_inbox_take_if: the oldest that fits; which is asked under the lock.
 * stn_inbox_take_foreign: the oldest that was spawned elsewhere.
 * stn_inbox_take_copy: that of @record, which lies in a deque of this node.
 */
void stn_inbox_put(struct stn_node *node, struct stn_job *job);
struct stn_job *stn_inbox_take(struct stn_node *node);
struct stn_job *stn_inbox_take_if(struct stn_node *node,
				  bool (*fits)(const struct stn_job *job,
					       void *arg),
				  void *arg);
struct stn_job *stn_inbox_take_foreign(struct stn_node *node);
struct stn_job *stn_inbox_take_copy(struct stn_node *node,
				    struct stn_record *record);

/*
 * stn_worker_of: the worker that a deque belongs to.
 * stn_worker_main: a worker's thread. Worker 0 of node 0 runs the body, all
 * others look for work until the node stops.
 * stn_worker_tally: what its time has gone into, of one that has ended, or will
 * go no further.
 */
struct stn_worker *stn_worker_of(struct stn_deque *deque);
void *stn_worker_main(void *worker);
void stn_worker_tally(struct stn_worker *worker);

/*
 * stn_worker_await: works until @record, which @thief has taken, has been run.
 * The worker's own thread.
 */
void stn_worker_await(struct stn_worker *worker, struct stn_record *record,
		      int32_t thief);

/* stn_node_counts: must every spawn take the slow way? */
static inline bool
stn_node_counts(const struct stn_node *node)
{
	return node->config.stats.wanted || node->balancer->longer || node->sim;
}

/* stn_pause: lets the processor know that this thread spins. */
static inline void
stn_pause(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/*
 * decide.c, what the balancer is asked, as balance.h says; under the net lock.
 * stn_decide_idle: a record is wanted; @idle, by a worker. False if nobody can
 * be asked, and who waits here must be refused. stn_decide_withdrawn: the
 * result of @done has come; NULL: who waited here wants no record any more.
 * stn_decide_told: false if this is not whom node @from should tell.
 * stn_decide_tick: returns when it must be called again.
 */
bool stn_decide_idle(struct stn_node *node, bool idle);
bool stn_decide_granted(struct stn_node *node,
			const struct stn_request *request, uint64_t bytes);
bool stn_decide_refused(struct stn_node *node,
			const struct stn_request *request, uint64_t bytes);
void stn_decide_ran(struct stn_node *node, uint64_t bytes, uint64_t took_ns);
enum stn_verdict stn_decide_lends(struct stn_node *node,
				  const struct stn_held *thief,
				  const struct stn_loan *loan);
bool stn_decide_waits(struct stn_node *node, uint32_t from);
void stn_decide_withdrawn(struct stn_node *node, const struct stn_record *done);
void stn_decide_longer(struct stn_node *node);
bool stn_decide_told(struct stn_node *node, uint32_t from, uint32_t load);
uint64_t stn_decide_tick(struct stn_node *node);

/*
 * borrow.c, the thief's side. stn_borrow_ask: this node is idle: sends what
 * the balancer wants asked, if it is time; returns when to call it again if no
 * answer comes before. stn_borrow_request, _cancel: sends a request; takes
 * back all. stn_borrow_grant, _refuse: an answer has come. stn_borrow_pushed:
 * a record has. stn_borrow_return: the job has been run, in @spent_ns: sends
 * its result home, frees it.
 */
uint64_t stn_borrow_ask(struct stn_node *node);
void stn_borrow_request(struct stn_node *node, const struct stn_ask *what);
void stn_borrow_cancel(struct stn_node *node);
void stn_borrow_grant(struct stn_node *node, const struct stn_message *message,
		      const struct stn_wire *wire);
void stn_borrow_pushed(struct stn_node *node, const struct stn_message *message,
		       const struct stn_wire *wire);
void stn_borrow_refuse(struct stn_node *node, const struct stn_message *message,
		       uint32_t number);
void stn_borrow_return(struct stn_node *node, struct stn_job *job,
		       uint64_t spent_ns);

/*
 * lend.c, the victim's side, under the net lock. stn_lend: answers a request,
 * with a record if there is one; if not, it may be held for a while.
 * stn_lend_any: answers it if there is one; if not, @thief says whether a
 * refusal is to show how fast the link is. stn_lend_job: answers it with this
 * one. stn_lend_refuse: answers it. stn_lend_push: sends the oldest record to
 * who didn't ask; false if there is none. stn_lend_taken: one has arrived
 * there. stn_lend_result: a record's result has come. stn_lend_came_home: this
 * node has stolen back and run a record of its own.
 */
void stn_lend(struct stn_node *node, uint32_t from,
	      const struct stn_wire_request *request);
bool stn_lend_any(struct stn_node *node, struct stn_held *thief);
void stn_lend_job(struct stn_node *node, uint32_t to, uint32_t number,
		  struct stn_job *job);
void stn_lend_refuse(struct stn_node *node, const struct stn_held *thief);
bool stn_lend_push(struct stn_node *node, uint32_t to);
void stn_lend_taken(struct stn_node *node, uint32_t from);
void stn_lend_result(struct stn_node *node, const struct stn_message *message,
		     const struct stn_wire_result *result);
void stn_lend_came_home(struct stn_node *node, const struct stn_job *job);

/*
 * stn_lend_home: sends records that wait here, where no worker has the stack to
 * run them, to where they were spawned: who waits for one has room for that.
 * Without the net lock.
 */
void stn_lend_home(struct stn_node *node);

/*
 * hold.c, requests that wait for a record. stn_hold: puts one there; false if
 * there is no room, or it may not wait. stn_hold_progress: answers those that
 * can be, or must be by now; returns when it must be called again.
 * stn_hold_end: a search has ended: answers those that waited for that.
 * stn_hold_cancel: the thief wants no record any more. stn_hold_pass: answers
 * the oldest with this job; false if there is none. All under the net lock.
 * stn_hold_spawned: a worker has spawned while some are held.
 */
bool stn_hold(struct stn_node *node, const struct stn_held *thief);
uint64_t stn_hold_progress(struct stn_node *node);
void stn_hold_end(struct stn_node *node);
void stn_hold_cancel(struct stn_node *node, uint32_t from, uint32_t number);
bool stn_hold_pass(struct stn_node *node, struct stn_job *job);
void stn_hold_spawned(struct stn_worker *worker);

#endif
