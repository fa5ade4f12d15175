/*
 * sim.h: what the simulator's files know of each other: sim.c runs the nodes,
 * sim_net.c is the network between them.
 */
#ifndef STN_EMUL_SIM_H
#define STN_EMUL_SIM_H

#include "emul/events.h"
#include "emul/fiber.h"
#include "transport/ops.h"
#include "transport/sim.h"
#include "transport/wireup/wireup_ops.h"

/* What an event is. */
enum {
	SIM_RUN,     /* a life goes on */
	SIM_LOOK,    /* a node looks after what it does unasked */
	SIM_ARRIVE,  /* a parcel is at its receiver */
	SIM_DELIVER, /* which has come to it */
};

/* A message on its way. */
struct stn_parcel {
	uint32_t from;
	uint8_t kind;
	size_t header_bytes, payload_bytes;
	const void *header; /* the sender's, which stays until @done */
	stn_done *done;
	void *arg;
	unsigned char bytes[]; /* header and payload */
};

struct sim_endpoint {
	struct stn_transport base;
	struct stn_sim *sim;
	uint32_t rank;
	stn_handler *handler;
	void *arg;
};

struct sim_node {
	struct stn_fiber fiber;
	struct stn_sim *sim;
	stn_sim_life *life;
	void *life_arg;
	uint64_t run; /* the order of the event that lets it go on */
	bool waiting; /* or else it computes */
	bool woken;
	stn_sim_look *look;
	void *look_arg;
	uint64_t look_ns; /* when it will, unasked; STN_FOREVER */
	struct sim_endpoint *endpoint;
	uint64_t free_ns; /* messages keep it busy until then */
	uint64_t owed_ns; /* what they have cost since the life last spent */
	uint32_t parcels; /* of its own under way, with an end to be told */
	struct stn_link_queue queue; /* into its cluster's network */
};

struct stn_sim {
	struct stn_sim_model model;
	struct stn_events events;
	uint64_t now;
	uint64_t happened, messages;
	uint32_t unwatched; /* steps since somebody looked: sim_watch */
	uint64_t measured;  /* the thread's own time, when last looked at */
	uint64_t took;
	int signal; /* that has ended it, or 0 */
	struct stn_fiber scheduler;
	struct sim_node *current; /* whose life goes on; NULL: nobody's */
	uint32_t alive;
	char *stacks;
	struct stn_wireup wireup;
	uint32_t arrived, round; /* at its barrier */
	struct sim_node nodes[];
};

#define SIM_SIGNALS 2 /* that end a simulation */

/* sim_watch.c: somebody who watches. */
struct sim_watch {
	uint64_t begin_ns, told_ns; /* of the machine's time */
	bool terminal, told;
	bool ours[SIM_SIGNALS]; /* the signal's handler */
};

/*
 * sim_watch_begin; sim_watch: now and then; returns the signal by which the
 * simulation is to end, or 0; sim_watch_end: returns how long it took.
 */
void sim_watch_begin(struct sim_watch *watch);
int sim_watch(struct sim_watch *watch, const struct stn_sim *sim);
uint64_t sim_watch_end(struct sim_watch *watch);

/* sim_no_memory: ends the process with a line that says so. */
_Noreturn void sim_no_memory(void);

/* sim_add: an event of node @rank. */
uint64_t sim_add(struct stn_sim *sim, uint64_t at, uint32_t rank, uint32_t what,
		 struct stn_parcel *parcel);

/* sim_look: what the node does unasked. */
void sim_look(struct stn_sim *sim, struct sim_node *node);

/* sim_busy: the node has a message's overhead to bear; returns until when. */
uint64_t sim_busy(struct stn_sim *sim, struct sim_node *node, uint64_t from);

/* sim_arrive, sim_deliver: what becomes of a parcel for node @rank. */
void sim_arrive(struct stn_sim *sim, uint32_t rank, struct stn_parcel *parcel);
void sim_deliver(struct stn_sim *sim, uint32_t rank, struct stn_parcel *parcel);

#endif
