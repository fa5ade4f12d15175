/*
 * wireup_far.h: the wire-up of a node in a run of several clusters. The gateway
 * wires it up as one of all nodes; the cluster's own launcher, as one of the
 * cluster's nodes.
 */
#ifndef STN_LAUNCH_WIREUP_WIREUP_FAR_H
#define STN_LAUNCH_WIREUP_WIREUP_FAR_H

#include "transport/far/handshake.h"
#include "launch/wireup/wireup.h"

/*
 * stn_wireup_far: blocks until all nodes of all clusters have come.
 * @own  the wire-up by the cluster's launcher; NULL if this is the cluster's
 *     only node. On success the new wire-up owns it.
 * @rank, @nodes  in the cluster
 * @silence_ns  when the gateway's host has been silent for longer, it counts as
 *     dead; 0: never
 * @layout  set to the layout of the run
 */
STN_CHECKED enum stn_err stn_wireup_far(struct stn_wireup *own, uint32_t rank,
					uint32_t nodes, uint64_t silence_ns,
					struct stn_layout *layout,
					struct stn_wireup **wireup_p,
					struct stn_why *why);

#endif
