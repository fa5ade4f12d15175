/*
 * sim_run.h: makes and runs a simulation (sim.h).
 *
 * Several threads can run it. Each runs a share of the clusters, and a struct
 * stn_sim is one share. All shares simulate windows of virtual time that are as
 * long as the least latency between clusters, so that no message that is sent
 * in a window arrives in it (conservative synchronization with lookahead;
 * Chandy and Misra 1979, Nicol 1993). So virtual times and messages don't
 * depend on the number of threads.
 */
#ifndef STN_EMUL_SIM_RUN_H
#define STN_EMUL_SIM_RUN_H

#include "emul/sim.h"
#include "transport/error.h"
#include "transport/topology.h"

/*
 * stn_sim_fail: reports @text, which has no newline, to the user and ends the
 * process. It must not return.
 */
typedef void stn_sim_fail(const char *text);

/* The nodes and networks to simulate, and the caller's functions. */
struct stn_sim_model {
	const struct stn_topology *topology; /* with the links and queues */
	struct stn_link lan;  /* a node's link into its cluster's network */
	uint64_t overhead_ns; /* each message costs its sender and receiver */
	size_t stack_bytes;   /* of each node; a multiple of the page size */
	size_t room_bytes;    /* of each node, for the caller (sim_stacks.h) */
	stn_sim_fail *fail;   /* called when memory for messages runs out */
	uint32_t threads; /* at most; 0 as 1. Fewer if there is no lookahead */
	/* Number of tasks executed so far, shown on the terminal; or NULL. */
	uint64_t (*tasks)(const void *arg);
	const void *arg;
};

/* Totals of a simulation. */
struct stn_sim_account {
	uint64_t now_ns, events, messages;
	uint64_t took_ns; /* of the machine's time */
	int signal;	  /* that ended the simulation, or 0 */
};

/*
 * stn_sim_create: the share of node 0; NULL if there is no memory. The caller
 * keeps @model's topology as long as the simulation runs.
 */
struct stn_sim *stn_sim_create(const struct stn_sim_model *model);

/*
 * stn_sim_of: the share of node @rank.
 * stn_sim_leads: has node @rank the lowest rank of its share?
 */
struct stn_sim *stn_sim_of(const struct stn_sim *sim, uint32_t rank);
bool stn_sim_leads(const struct stn_sim *sim, uint32_t rank);

/*
 * stn_sim_destroy: frees all shares. Takes NULL. Nodes that have not ended
 * never run again. Their stacks are freed here; the caller has freed all memory
 * that only these stacks point to.
 */
void stn_sim_destroy(struct stn_sim *sim);

/*
 * stn_sim_start: lets node @rank run @main(@arg) from now on; at most once for
 * each node, before stn_sim_run or by a callback of stn_sim_at. The node ends
 * when @main returns.
 * STN_NO_MEMORY if its stack can't be guarded.
 */
typedef void stn_sim_main(void *arg);
STN_CHECKED enum stn_err stn_sim_start(struct stn_sim *sim, uint32_t rank,
				       stn_sim_main *main, void *arg);

/*
 * stn_sim_run: runs all shares; returns when all nodes have ended or were
 * killed. Calls that are due later are not made then; with several shares,
 * those up to the end of the window are. If stderr is a terminal, it shows the
 * progress there. STN_LOST if all remaining nodes wait and no
 * event is left; STN_CANCELLED after SIGINT or SIGTERM.
 */
STN_CHECKED enum stn_err stn_sim_run(struct stn_sim *sim, struct stn_why *why);

/*
 * stn_sim_hide: removes the progress from the terminal, so that a function of
 * type stn_sim_fail can print there.
 */
void stn_sim_hide(void);

/*
 * stn_sim_account: the totals of all shares so far. Exact only after
 * stn_sim_run, or with one share. While several shares run, only sim_watch_show
 * may call it, when all of them wait at the barrier.
 */
struct stn_sim_account stn_sim_account(const struct stn_sim *sim);

#endif
