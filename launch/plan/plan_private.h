/*
 * plan_private.h: the state that plan.c and plan_transport.c share while they
 * plan.
 */
#ifndef STN_LAUNCH_PLAN_PLAN_PRIVATE_H
#define STN_LAUNCH_PLAN_PLAN_PRIVATE_H

#include "launch/plan/plan.h"

/* The arrays have an element for each node. */
struct plan_run {
	struct stn_wireup *wireup;
	const struct stn_topology *topology;
	uint32_t nodes, rank;
	struct stn_config *config;
	struct stn_card *cards; /* of the last round */
	struct stn_survey *surveys;
	uint32_t *hosts; /* number of the node's host */
	bool isolated;	 /* some nodes of one host can't share memory */
};

/*
 * plan_transport: chooses transport, provider, device and address, and writes
 * them into the settings. All nodes must call it; it may exchange a round of
 * cards.
 */
STN_CHECKED enum stn_err plan_transport(struct plan_run *run,
					struct stn_plan *plan,
					struct stn_why *why);

#endif
