/*
 * join_far.h: how a process that `sateen join` has started becomes a node of a
 * run of several clusters.
 */
#ifndef STN_LAUNCH_JOIN_FAR_H
#define STN_LAUNCH_JOIN_FAR_H

#include <stdbool.h>

#include "node/config.h"
#include "launch/wireup/wireup.h"
#include "transport/far/handshake.h"

/* stn_join_far_offered: has `sateen join` started this process? */
bool stn_join_far_offered(void);

/*
 * stn_join_far: wires a node up with the other clusters' nodes.
 * @wireup_p  in: the wire-up by the cluster's launcher, NULL if this is the
 *     cluster's only node; out, on success: the wire-up with all nodes. The
 *     caller owns it, also after a failure.
 * @rank_p  in: the rank in the cluster; out: the rank in the run
 * @nodes  in the cluster
 * @config  gets the numbers of nodes and clusters, and their sizes
 * @layout  set to the layout of the run
 */
STN_CHECKED enum stn_err stn_join_far(struct stn_wireup **wireup_p,
				      uint32_t *rank_p, uint32_t nodes,
				      struct stn_config *config,
				      struct stn_layout *layout,
				      struct stn_why *why);

#endif
