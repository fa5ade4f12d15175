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
 * between clusters are simulated, too.
 *
 * A killed peer (stn_sim_kill) is silent: no peer event reports it, and sends
 * to it complete only by stn_transport_peer_del or stn_transport_close. A node
 * that is deleted as a peer but lives is not told: messages that were under way
 * to it still arrive, and its own sends don't complete, as they get no answer.
 * The transport of a killed node may be closed when stn_sim_run has returned;
 * then the done functions of its unfinished sends are called.
 */
STN_CHECKED enum stn_err stn_sim_open(struct stn_sim *sim,
				      const struct stn_opening *opening,
				      struct stn_transport **transport_p,
				      struct stn_why *why);

#endif
