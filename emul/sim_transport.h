/*
 * sim_transport.h: the transport between the nodes of a simulation.
 */
#ifndef STN_EMUL_SIM_TRANSPORT_H
#define STN_EMUL_SIM_TRANSPORT_H

#include "emul/sim.h"
#include "transport/transport.h"

#define STN_SIM_TRANSPORT "sim" /* its name */

extern const struct stn_transport_ops stn_transport_sim;

/*
 * stn_sim_open: opens the endpoint of node @opening->rank in @sim. The links
 * between clusters are simulated, too. Peers don't die.
 */
STN_CHECKED enum stn_err stn_sim_open(struct stn_sim *sim,
				      const struct stn_opening *opening,
				      struct stn_transport **transport_p,
				      struct stn_why *why);

#endif
