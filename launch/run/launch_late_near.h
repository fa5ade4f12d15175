/*
 * launch_late_near.h: how far the hosts that join are from the clusters of the
 * run, so that their nodes join the nearest one.
 */
#ifndef STN_LAUNCH_RUN_LAUNCH_LATE_NEAR_H
#define STN_LAUNCH_RUN_LAUNCH_LATE_NEAR_H

#include "launch/run/launch.h"

/*
 * late_measure: asks the agents of hosts that join, and whose clusters are to
 * be chosen, to measure how far a node of each cluster is (stn_agents_probe).
 * Asks none if there is only one cluster, or the nodes have shown no addresses.
 */
void late_measure(struct launch *launch);

#endif
