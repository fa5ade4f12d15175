/*
 * simulate_membership.h: the sequencer of a simulated run (node/sequencer.h):
 * tells the nodes which of them have died or joined, and which are to leave.
 *
 * A node that joins is started when its event comes. It can take part after two
 * more latencies: by then a launcher has told the others its address, and knows
 * that they have it.
 */
#ifndef STN_LAUNCH_SIMULATE_MEMBERSHIP_H
#define STN_LAUNCH_SIMULATE_MEMBERSHIP_H

#include "emul/sim.h"
#include "launch/simulate_events.h"
#include "launch/simulate_output.h"
#include "node/node.h"
#include "node/sequencer.h"

struct stn_simulate_membership;

/* A node that joins: the argument of a callback. */
struct stn_simulate_joiner {
	struct stn_simulate_membership *membership;
	uint32_t rank;
};

/* Starts node @rank, which joins the run. */
typedef void stn_simulate_start(void *arg, uint32_t rank);

struct stn_simulate_membership {
	struct stn_sequencer sequencer;
	struct stn_simulate_events *events;
	struct stn_simulate_joiner *joiners; /* by rank */
	stn_simulate_start *start;
	void *start_arg;
	const struct stn_topology *topology;
	struct stn_sim *sim;
	struct stn_wireup *wireup;
	struct stn_node *
		*nodes;	     /* by rank; NULL: has not begun, or has ended */
	uint64_t latency_ns; /* from the sequencer to a node */
	stn_sim_fail *fail;
	struct stn_simulate_output *output;
	bool issuing; /* a call of stn_sequencer_issue is planned */
};

/*
 * stn_simulate_membership_init: makes the sequencer, and lets it know of the
 * @events. @start is called, with @arg, for each node that joins. STN_NO_MEMORY.
 */
STN_CHECKED enum stn_err
stn_simulate_membership_init(struct stn_simulate_membership *membership,
			     const struct stn_simulate_run *run,
			     struct stn_node **nodes,
			     struct stn_simulate_events *events,
			     stn_simulate_start *start, void *arg);
void stn_simulate_membership_fini(struct stn_simulate_membership *membership);

#endif
