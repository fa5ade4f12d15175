/*
 * simulate_membership.h: the sequencer of a simulated run (node/sequencer.h):
 * tells the nodes which of them have died, and which are to leave.
 */
#ifndef STN_LAUNCH_SIMULATE_MEMBERSHIP_H
#define STN_LAUNCH_SIMULATE_MEMBERSHIP_H

#include "emul/sim.h"
#include "launch/simulate_events.h"
#include "node/node.h"
#include "node/sequencer.h"

struct stn_simulate_membership {
	struct stn_sequencer sequencer;
	struct stn_sim *sim;
	struct stn_wireup *wireup;
	struct stn_node *
		*nodes;	     /* by rank; NULL: has not begun, or has ended */
	uint64_t latency_ns; /* from the sequencer to a node */
	stn_sim_fail *fail;
	bool issuing; /* a call of stn_sequencer_issue is planned */
};

/*
 * stn_simulate_membership_init: makes the sequencer, and lets it know of the
 * @events. STN_NO_MEMORY.
 */
STN_CHECKED enum stn_err
stn_simulate_membership_init(struct stn_simulate_membership *membership,
			     const struct stn_simulate_run *run,
			     struct stn_node **nodes,
			     struct stn_simulate_events *events);
void stn_simulate_membership_fini(struct stn_simulate_membership *membership);

#endif
