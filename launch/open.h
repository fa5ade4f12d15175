/*
 * open.h: opens the transport that a run names: a backend, wrapped to delay
 * messages if the run has slow links, or the simulated network.
 */
#ifndef STN_LAUNCH_OPEN_H
#define STN_LAUNCH_OPEN_H

#include "emul/sim.h"
#include "transport/transport.h"

/*
 * stn_open_transport: as stn_transport_open, and opens "sim", too, which is the
 * network of @sim. If the clusters of the topology are joined by slow links, a
 * backend's messages between clusters are delayed accordingly.
 * @sim  the simulation that the node is in, or NULL
 */
STN_CHECKED enum stn_err stn_open_transport(const char *name,
					    struct stn_sim *sim,
					    const struct stn_opening *opening,
					    struct stn_transport **transport_p,
					    struct stn_why *why);

#endif
