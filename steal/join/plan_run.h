/*
 * plan_run.h: what plan.c and plan_transport.c know of a run while they plan.
 */
#ifndef STN_STEAL_JOIN_PLAN_RUN_H
#define STN_STEAL_JOIN_PLAN_RUN_H

#include "steal/join/plan.h"

struct plan_run {
	struct stn_wireup *wireup;
	const struct stn_topology *topology;
	uint32_t nodes, rank;
	struct stn_config *config;
	struct stn_card *cards; /* of the last round */
	struct stn_survey *surveys;
	uint32_t *hosts; /* the number of each node's */
	bool apart;	 /* of one host are some that can't share memory */
};

/* plan_auto: is it left to us? plan_set: what a setting is to be. */
bool plan_auto(const char *setting);
void plan_set(char setting[STN_TEXT_BYTES], const char *value);

/*
 * plan_transport: settles which transport the nodes meet by, over which
 * provider and address, and writes that into the settings.
 */
STN_CHECKED enum stn_err plan_transport(struct plan_run *run,
					struct stn_plan *plan,
					struct stn_why *why);

#endif
