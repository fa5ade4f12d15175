/*
 * link_queues.h: memory for the queues of emulated links. The launcher provides
 * it, or else the nodes of a host create and share it themselves.
 */
#ifndef STN_LAUNCH_LINK_QUEUES_H
#define STN_LAUNCH_LINK_QUEUES_H

#include "transport/topology.h"
#include "launch/wireup/wireup.h"

/*
 * stn_link_queues_map: a round in which all nodes of the run take part. The
 * lowest rank of each host creates the link queues, and the other nodes of the
 * host map its memory. Hosts share no queues. Each host gets a part of a link's
 * bandwidth, in proportion to its nodes in the sending cluster. Sets
 * @topology's queues, begin_ns, share and shares. The mapping stays until the
 * process ends.
 */
STN_CHECKED enum stn_err stn_link_queues_map(struct stn_wireup *wireup,
					     uint32_t rank,
					     struct stn_topology *topology,
					     struct stn_why *why);

/*
 * stn_link_queues_inherit: maps the memory that the launcher has made. Sets
 * @topology's queues and begin_ns. The mapping stays until the process ends.
 * STN_INVALID: the environment variables are not those that a launcher sets.
 */
STN_CHECKED enum stn_err stn_link_queues_inherit(struct stn_topology *topology,
						 struct stn_why *why);

#endif
