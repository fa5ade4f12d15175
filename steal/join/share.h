/*
 * share.h: a node's share of its host: how many workers it has, and where they
 * stand among those of the nodes that have the same cores.
 */
#ifndef STN_STEAL_JOIN_SHARE_H
#define STN_STEAL_JOIN_SHARE_H

#include "steal/config.h"
#include "steal/join/plan.h"

struct stn_share {
	uint32_t workers; /* of this node, one at least */
	uint32_t first;	  /* of nodes before it that have the same cores */
	uint32_t all;	  /* of all that have the same cores */
};

/*
 * stn_share_make: as many workers as are set; else the processors that a node
 * may use, those of several nodes that have the same ones shared out evenly.
 * No node has more than its part of what a quota allows the host's nodes.
 * @own    the processors that this process may use
 * @quota  as of stn_quota_processors
 */
struct stn_share stn_share_make(const struct stn_config *config,
				const struct stn_plan *plan,
				const cpu_set_t *own, uint32_t quota);

/* stn_share_here: by this process's own affinity and quota. */
struct stn_share stn_share_here(const struct stn_config *config,
				const struct stn_plan *plan);

#endif
