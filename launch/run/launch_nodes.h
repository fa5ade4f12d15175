/*
 * launch_nodes.h: the launcher's part in wire-up, and its reaction to frames
 * and ends of nodes.
 */
#ifndef STN_LAUNCH_RUN_LAUNCH_NODES_H
#define STN_LAUNCH_RUN_LAUNCH_NODES_H

#include "launch/run/launch.h"

/*
 * launch_prepare: prepares the wire-up server, the environment and the memory
 * for links, for as many nodes as the settings say. Once, before nodes start.
 */
STN_CHECKED enum stn_err launch_prepare(struct launch *launch,
					struct stn_why *why);

/* launch_nodes: reactions to events of nodes; their argument is the launch. */
extern const struct stn_process_group_events launch_nodes;

#endif
