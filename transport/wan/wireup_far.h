/*
 * wireup_far.h: wire-up of a node whose cluster is one of several: by its
 * gateway, to which it is one of all nodes, besides by its own launcher, to
 * which it is one of the cluster's.
 */
#ifndef STN_TRANSPORT_WAN_WIREUP_FAR_H
#define STN_TRANSPORT_WAN_WIREUP_FAR_H

#include "transport/wan/knock.h"
#include "transport/wireup/wireup.h"

/*
 * stn_wireup_far: blocks until all nodes of all clusters have come.
 * @own  by the cluster's launcher; NULL: this is the cluster's only node. The
 *     new one owns it, if it is made
 * @rank, @nodes  in the cluster
 * @silence_ns  of the gateway's host, after which it is gone; 0: never
 * @layout  who is where in the run
 */
STN_CHECKED enum stn_err stn_wireup_far(struct stn_wireup *own, uint32_t rank,
					uint32_t nodes, uint64_t silence_ns,
					struct stn_layout *layout,
					struct stn_wireup **wireup_p,
					struct stn_why *why);

#endif
