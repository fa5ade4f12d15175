/*
 * plan.h: who of a run is where, and by which transport the nodes meet. Before
 * any transport is opened the nodes show each other surveys, and all make the
 * same plan of them.
 */
#ifndef STN_STEAL_JOIN_PLAN_H
#define STN_STEAL_JOIN_PLAN_H

#include <sched.h>

#include "steal/config.h"
#include "transport/survey/survey.h"

#define STN_PLAN_LINE_BYTES 512

struct stn_plan {
	uint32_t hosts; /* of the run */
	uint32_t mates; /* nodes on this host, ourselves too */
	uint32_t index; /* which of them this node is, in order of rank */

	/*
	 * The cores that each of them may use, by index. NULL: all nodes of
	 * the run are in this process, and there is but one answer.
	 */
	cpu_set_t *cores;

	char line[STN_PLAN_LINE_BYTES]; /* see stn_plan_say */
};

/*
 * stn_plan_make: surveys and plans. All nodes must call it. Blocks. (Of
 * transport loop: as stn_plan_alone.)
 * @config  what "auto" is to mean there is filled in: transport, provider,
 *     address
 */
STN_CHECKED enum stn_err stn_plan_make(struct stn_wireup *wireup,
				       const struct stn_topology *topology,
				       uint32_t rank, struct stn_config *config,
				       struct stn_plan *plan,
				       struct stn_why *why);

/*
 * stn_plan_say: what was chosen, in one line on stderr, if there are many
 * hosts; only one node of them has a line. When the nodes have met.
 */
void stn_plan_say(const struct stn_plan *plan);

/* stn_plan_alone: of @nodes that are all in this process. */
struct stn_plan stn_plan_alone(uint32_t nodes, uint32_t rank);

/* stn_plan_fini: also of a plan that was not made, if all is zero. */
void stn_plan_fini(struct stn_plan *plan);

#endif
