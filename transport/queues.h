/*
 * queues.h: the emulated links' state, where no launcher has brought it: nodes
 * that other launchers started on one host make and share it by themselves.
 */
#ifndef STN_TRANSPORT_QUEUES_H
#define STN_TRANSPORT_QUEUES_H

#include "transport/topology.h"
#include "transport/wireup/wireup.h"

/*
 * stn_queues_share: a round in which all nodes of the run must take part. Of
 * those on one host the lowest rank makes the queues, the others map its
 * memory. Nodes of several hosts share none, but each host gets a part of a
 * link's rate, as large as its part of the nodes at the link's sending end.
 * Sets @topology's queues, begin and share; all stay until the process ends.
 */
STN_CHECKED enum stn_err stn_queues_share(struct stn_wireup *wireup,
					  uint32_t rank,
					  struct stn_topology *topology,
					  struct stn_why *why);

#endif
