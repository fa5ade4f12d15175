/*
 * join_far.h: how a process becomes a node of a run of several clusters, by the
 * gateway that `sateen join` is.
 */
#ifndef STN_STEAL_JOIN_JOIN_FAR_H
#define STN_STEAL_JOIN_JOIN_FAR_H

#include <stdbool.h>

#include "steal/config.h"
#include "transport/wireup/wireup.h"

/* stn_join_far_offered: has `sateen join` started this process? */
bool stn_join_far_offered(void);

/*
 * stn_join_far: wires a node up beyond its cluster.
 * @wireup_p  in: by the cluster's launcher, NULL if this is its only node;
 *     out: by both. It is the caller's in any case
 * @rank_p  in the cluster, then in the run
 * @nodes  in the cluster
 * @config  is told how many nodes and clusters there are
 */
STN_CHECKED enum stn_err stn_join_far(struct stn_wireup **wireup_p,
				      uint32_t *rank_p, uint32_t nodes,
				      struct stn_config *config,
				      struct stn_why *why);

#endif
