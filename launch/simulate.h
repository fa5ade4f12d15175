/*
 * simulate.h: runs all nodes of a run in this process, in virtual time.
 */
#ifndef STN_LAUNCH_SIMULATE_H
#define STN_LAUNCH_SIMULATE_H

#include "launch/join.h"

/*
 * stn_simulate: calls @part for each node. Gives @topology its links. At the
 * end prints a line on stderr about the simulation. Carries out the events of
 * --events (simulate_events.h). SIGINT and SIGTERM end the process after the
 * statistics so far were shown; a node that fails ends it as well.
 * @status_p  the status of node 0
 * STN_LOST if node 0 died and all others have ended.
 */
STN_CHECKED enum stn_err stn_simulate(struct stn_config *config,
				      struct stn_topology *topology,
				      stn_join_part *part, void *arg,
				      int *status_p, struct stn_why *why);

#endif
