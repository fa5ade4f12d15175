/*
 * sim_private.h: shared by the files of the simulator, each of which calls only
 * the files below it:
 *
 *	sim_create.c	makes the shares and their nodes
 *	sim_shares.c	the threads, and what shares tell each other
 *	sim.c		the scheduler of a share, which runs events and nodes
 *	sim_watch.c	signals, and the progress on the terminal
 *	sim_net.c	the network between the nodes
 *	sim_end.c	sends that end without an answer
 *	sim_node.c	a node's events, overheads and look
 *	sim_stacks.c	the nodes' stacks, and the rooms next to these
 *	sim_pool.c	small pieces of memory
 *
 * Each thread runs a share of the clusters. It touches only the nodes of its
 * share, and the outboxes of other shares when all threads have agreed on the
 * next window.
 */
#ifndef STN_EMUL_SIM_PRIVATE_H
#define STN_EMUL_SIM_PRIVATE_H

#include <pthread.h>

#include "emul/events.h"
#include "emul/fiber.h"
#include "emul/sim_pool.h"
#include "transport/ops.h"
#include "emul/sim_run.h"

/* The kinds of events (stn_event.what). */
enum {
	SIM_RUN,     /* a node's main function goes on */
	SIM_LOOK,    /* call the node's look (stn_sim_attend) */
	SIM_ARRIVE,  /* a parcel arrives at its receiver */
	SIM_DELIVER, /* the receiver's overhead is over: call its handler */
	SIM_SENT, /* a parcel has arrived in another cluster: tell its sender */
	SIM_CALL, /* call a function (stn_sim_at) */
};

/* A message on its way. */
struct stn_parcel {
	struct stn_parcel *next; /* in a list of dropped parcels */
	uint32_t from, to;
	size_t payload_bytes;
	uint32_t header_bytes;
	uint8_t kind;
	bool hollow;	    /* the payload has a size, but no data */
	const void *header; /* the sender's, unchanged until done is called */
	stn_done *done;
	void *arg;
	unsigned char bytes[]; /* header, and payload unless hollow */
};

#define SIM_SHARES 64	  /* at most */
#define SIM_LINE 64	  /* bytes of a cache line */
#define SIM_STACK_LINES 8 /* at the top of a stack, that are loaded ahead */
#define SIM_HINTS 14	  /* of a node, at most */

/* A function to call, and its argument. */
struct stn_call {
	stn_sim_callback *callback;
	void *arg;
};

struct sim_endpoint {
	struct stn_transport base;
	struct stn_sim *sim;
	bool *deleted; /* a flag for each peer; NULL: none was deleted */
};

struct sim_node {
	struct stn_fiber fiber;
	struct stn_sim *sim; /* its share */
	stn_sim_main *main;
	void *main_arg;
	uint64_t due_ns;
	uint64_t run; /* order of the SIM_RUN event that counts; others don't */
	bool ended;   /* its main function has returned, or it was killed */
	bool killed;
	bool due;	    /* it has yielded, and goes on at due_ns */
	bool waiting;	    /* inside stn_sim_wait */
	bool woken;	    /* by stn_sim_wake, since the last wait */
	bool spending;	    /* in stn_sim_steps: it spends time after a wait */
	bool steps_begin;   /* in stn_sim_steps: the first step is due */
	stn_sim_step *step; /* of stn_sim_steps, or NULL */
	void *step_arg;
	void (*aside)(void *arg); /* of stn_sim_aside, or NULL */
	void *aside_arg;
	stn_sim_look *look;
	void *look_arg;
	uint64_t look_ns; /* time of the next SIM_LOOK event, or STN_FOREVER */
	struct sim_endpoint *endpoint; /* NULL once it is closed */
	uint64_t busy_until_ns; /* when its last message's overhead is over */
	uint64_t owed_ns;	/* overheads since the node last spent time */
	uint32_t parcels; /* number of its sends whose done is not called yet */
	uint32_t cluster;
	uint64_t crossings; /* number of its events for other clusters so far */
	struct stn_parcel *dropped;  /* of these, those that nobody will get */
	struct stn_link_queue queue; /* of its link into the LAN */
	/*
	 * Memory that its events use (stn_sim_hint): the address of a cache
	 * line, and in the lowest bits how many lines from there on.
	 */
	uintptr_t hints[SIM_HINTS];
};

/* What a share tells the others at the end of a window. */
struct sim_report {
	uint64_t next;	/* time of its next event, and of those that it sends */
	uint32_t alive; /* number of its nodes that have not ended */
	bool stopped;	/* a signal has come */
	bool shows;	/* it is time to show the progress */
};

/* What all shares have in common; nothing of it changes while they run. */
struct sim_world {
	struct sim_node *nodes;
	char *stacks;	    /* of all nodes (sim_stacks.h); or NULL */
	size_t stack_bytes; /* of all that */
	/*
	 * An event that a node causes in another cluster comes at least this
	 * time later. 0 if there is one cluster.
	 */
	uint64_t lookahead_ns;
	uint64_t took_ns;
	int signal; /* that has ended the simulation, or 0 */
	struct sim_watch *watch;
	pthread_barrier_t windows; /* if there are several shares */
	uint32_t share_count;
	struct stn_sim *shares[];
};

/* A share of the clusters, with a thread of its own. */
struct stn_sim {
	struct stn_sim_model model;
	struct sim_world *world;
	struct sim_node *nodes; /* of all shares */
	uint32_t count;		/* number of these */
	uint32_t number;	/* of this share */
	struct stn_events events;
	struct sim_pool pool;
	uint64_t now, ended_ns; /* the time, and when a node has ended last */
	uint64_t end; /* of the window: other shares may cause events then */
	uint64_t events_run, messages;
	uint64_t paused_ns; /* the machine's time at the last sim_pause */
	uint32_t unwatched; /* steps since then */
	uint32_t pace;	    /* steps from one pause to the next */
	uint32_t alive;	    /* number of its nodes that have not ended */
	uint64_t measured; /* the thread's processor time at that measurement */
	struct stn_fiber scheduler;
	struct sim_node *current; /* the running node; NULL: the scheduler */
	/*
	 * In turns, so that the others can read those of one window while this
	 * share writes those of the next one.
	 */
	unsigned turn;
	struct sim_report reports[2];
	struct stn_event_list *outboxes[2]; /* one for each share */
};

/* The memory that a parcel takes. */
static inline size_t
sim_parcel_bytes(const struct stn_parcel *parcel)
{
	return sizeof(*parcel) + parcel->header_bytes +
	       (parcel->hollow ? 0 : parcel->payload_bytes);
}

static inline void
sim_parcel_free(struct stn_sim *sim, struct stn_parcel *parcel)
{
	sim_pool_give(&sim->pool, parcel, sim_parcel_bytes(parcel));
}

static inline uint32_t
sim_rank_of(const struct stn_sim *sim, const struct sim_node *node)
{
	return (uint32_t)(node - sim->nodes);
}

/* sim_no_memory: calls the model's fail, which ends the process. */
_Noreturn void sim_no_memory(const struct stn_sim *sim);

/* sim_add: adds an event for node @rank; returns its order. */
uint64_t sim_add(struct stn_sim *sim, uint64_t at, uint32_t rank, uint32_t what,
		 struct stn_parcel *parcel);

/*
 * sim_cross: adds an event that node @from causes in another cluster; the order
 * is set here. Its time is at least the lookahead after the present.
 */
void sim_cross(struct stn_sim *sim, struct sim_node *from,
	       struct stn_event event);

/*
 * sim_expect: begins to load the memory of the events that come next into the
 * processor's cache.
 */
void sim_expect(const struct stn_sim *sim);

/* sim_look: calls the node's look, if any, and adds the next SIM_LOOK event. */
void sim_look(struct stn_sim *sim, struct sim_node *node);

/*
 * sim_look_soon: as sim_look, but by an event of the present time, so that the
 * node's own calls can't lead back into its look.
 */
void sim_look_soon(struct stn_sim *sim, struct sim_node *node);

/*
 * sim_add_overhead: charges the node for a message at the time @from, after the
 * messages that it is still busy with; returns when the overhead is over.
 */
uint64_t sim_add_overhead(struct stn_sim *sim, struct sim_node *node,
			  uint64_t from);

/*
 * sim_arrive: a parcel arrives at its receiver: charges the receiver's
 * overhead, then delivers the parcel, at once or by an event.
 */
void sim_arrive(struct stn_sim *sim, struct stn_parcel *parcel);

/*
 * sim_deliver: ends the parcel's send, calls the handler, frees the parcel; or
 * drops it, if its receiver was killed or has deleted its sender.
 */
void sim_deliver(struct stn_sim *sim, struct stn_parcel *parcel);

/*
 * sim_sent: ends the send of a parcel that has arrived in another cluster. The
 * parcel is the sender's copy, without payload.
 */
void sim_sent(struct stn_sim *sim, struct stn_parcel *parcel);

#endif
