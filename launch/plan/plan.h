/*
 * plan.h: on which host each node of a run is, and which transport the nodes
 * use. Before any transport is opened the nodes exchange surveys, and all make
 * the same plan from them.
 */
#ifndef STN_LAUNCH_PLAN_PLAN_H
#define STN_LAUNCH_PLAN_PLAN_H

#include <sched.h>

#include "node/config.h"
#include "launch/survey/survey.h"

#define STN_PLAN_TEXT_BYTES 512

/*
 * The launcher sets this variable if other hosts can join the run. Then nodes
 * of one host, too, choose a transport between hosts.
 */
#define STN_PLAN_OPEN "STN_OPEN"

struct stn_plan {
	uint32_t hosts;	      /* in the run */
	uint32_t local_nodes; /* on this host, this node included */
	uint32_t local_rank;  /* index of this node among them, by rank */

	/*
	 * The cores that each local node may use, by local rank. NULL: all
	 * nodes of the run are in this process, and have the same cores.
	 */
	cpu_set_t *cores;

	char text[STN_PLAN_TEXT_BYTES]; /* printed by stn_plan_print */
};

/*
 * stn_plan_make: exchanges surveys and makes the plan. All nodes must call it.
 * Blocks until they have. With the transport loop all nodes are in
 * this process.
 * @config  settings that are "auto" get the value that was chosen: transport,
 *     provider, device, address
 * @plan    stn_plan_fini frees it, also after an error
 */
STN_CHECKED enum stn_err stn_plan_make(struct stn_wireup *wireup,
				       const struct stn_topology *topology,
				       uint32_t rank, struct stn_config *config,
				       struct stn_plan *plan,
				       struct stn_why *why);

/*
 * stn_plan_print: prints on stderr, in one line, what was chosen. Does so on
 * one node of a run, and only if there are several hosts. To be called when the
 * nodes are connected.
 */
void stn_plan_print(const struct stn_plan *plan);

/* stn_plan_fini: frees what a plan holds. The plan may be all zero. */
void stn_plan_fini(struct stn_plan *plan);

#endif
