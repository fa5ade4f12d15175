/*
 * worker_share.h: how many workers a node gets, and the position of its workers
 * among those of the local nodes that have the same cores.
 */
#ifndef STN_LAUNCH_PLAN_WORKER_SHARE_H
#define STN_LAUNCH_PLAN_WORKER_SHARE_H

#include "node/config.h"
#include "launch/plan/plan.h"

struct stn_worker_share {
	uint32_t workers; /* of this node, at least 1 */
	uint32_t first;	  /* workers of lower ranks that have the same cores */
	uint32_t all;	  /* workers of all nodes that have the same cores */
};

/*
 * stn_worker_share_make: computes the share of the node that @plan is for. A
 * node has as many workers as --workers says. Otherwise it has one for each
 * processor that it may use; nodes that may use the same processors share them
 * out evenly. No node then has more than its part of the quota.
 * @own    the processors that this process may use
 * @quota  of all local nodes together, as of stn_quota_processors
 */
struct stn_worker_share stn_worker_share_make(const struct stn_config *config,
					      const struct stn_plan *plan,
					      const cpu_set_t *own,
					      uint32_t quota);

/* stn_worker_share_here: the same, with this process's affinity and quota. */
struct stn_worker_share stn_worker_share_here(const struct stn_config *config,
					      const struct stn_plan *plan);

#endif
