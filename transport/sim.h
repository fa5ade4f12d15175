/*
 * sim.h: a run in virtual time. One thread is all nodes of the run: each is a
 * fiber, which goes on when its time has come, and a network that delivers
 * messages when they would arrive. In emul/sim*.c.
 *
 * A node's life computes, says how long that takes, and waits. What arrives
 * meanwhile is handled at its arrival, as a progress thread would: nothing
 * that a handler sees changes between two calls of the life. So a life must
 * call stn_sim_spend before it changes what handlers see.
 *
 * Events of one time happen in the order in which they were caused. All calls
 * are for the thread that runs the simulation.
 */
#ifndef STN_TRANSPORT_SIM_H
#define STN_TRANSPORT_SIM_H

#include "transport/error.h"
#include "transport/topology.h"

struct stn_sim;
struct stn_wireup;

/* What is simulated. */
struct stn_sim_model {
	const struct stn_topology *topology; /* and the links, which it has */
	struct stn_link lan;  /* from node to node in a cluster; no queue */
	uint64_t overhead_ns; /* of a message: to its sender, and receiver */
	size_t stack_bytes;   /* of each node */
	/* For who watches, or NULL: how many tasks have been executed. */
	uint64_t (*tasks)(const void *arg);
	const void *arg;
};

/* What has happened. */
struct stn_sim_account {
	uint64_t now_ns, events, messages;
	uint64_t took_ns; /* of the machine's time */
	int signal;	  /* that ended it, or 0 */
};

/* NULL if there is no memory. The topology must outlive it. */
struct stn_sim *stn_sim_create(const struct stn_sim_model *model);

/* stn_sim_destroy: takes NULL. Lives that have not ended go no further. */
void stn_sim_destroy(struct stn_sim *sim);

/*
 * stn_sim_start: gives node @rank its life, which begins at time 0; once for
 * each node.
 */
typedef void stn_sim_life(void *arg);
STN_CHECKED enum stn_err stn_sim_start(struct stn_sim *sim, uint32_t rank,
				       stn_sim_life *life, void *arg);

/*
 * stn_sim_run: until all lives have ended. STN_LOST if all that are left wait
 * for what will never happen; STN_CANCELLED after SIGINT or SIGTERM. A terminal
 * on stderr is shown how it goes.
 */
STN_CHECKED enum stn_err stn_sim_run(struct stn_sim *sim, struct stn_why *why);

struct stn_sim_account stn_sim_account(const struct stn_sim *sim);

/* stn_sim_wireup: what all nodes meet by; the simulator's. */
struct stn_wireup *stn_sim_wireup(struct stn_sim *sim);

/*
 * stn_sim_attend: from now on @look is called after each message that node
 * @rank is given, whenever its life waits, and at the time it last returned:
 * for what a node does unasked. NULL: no more.
 */
typedef uint64_t stn_sim_look(void *arg);
void stn_sim_attend(struct stn_sim *sim, uint32_t rank, stn_sim_look *look,
		    void *arg);

/*
 * stn_sim_measure: the time that the processor has spent on this thread since
 * the last such call.
 */
uint64_t stn_sim_measure(struct stn_sim *sim);

/*
 * stn_sim_spend: inside a life: it has computed for @ns, and whatever messages
 * have cost the node meanwhile.
 */
void stn_sim_spend(struct stn_sim *sim, uint64_t ns);

/*
 * stn_sim_wait: inside a life: until somebody has called stn_sim_wake since
 * the last wait, or @until_ns.
 */
void stn_sim_wait(struct stn_sim *sim, uint64_t until_ns);

/* stn_sim_wake: ends node @rank's wait, or its next one. */
void stn_sim_wake(struct stn_sim *sim, uint32_t rank);

/* stn_sim_now: the time, in ns from the run's begin. */
uint64_t stn_sim_now(const struct stn_sim *sim);

#endif
