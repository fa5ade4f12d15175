/*
 * simulate.h: all nodes of a run in this thread, in virtual time.
 */
#ifndef STN_STEAL_SIMULATE_H
#define STN_STEAL_SIMULATE_H

#include "steal/join/join.h"

/*
 * stn_simulate: plays @part for each node. @topology gets links. A line on
 * stderr tells at the end what was simulated.
 * @status_p  node 0's
 * SIGINT or SIGTERM ends the process, after the statistics so far are shown, as
 * does a node that fails.
 */
STN_CHECKED enum stn_err stn_simulate(struct stn_config *config,
				      struct stn_topology *topology,
				      stn_join_part *part, void *arg,
				      int *status_p, struct stn_why *why);

#endif
