/*
 * process_group_node.h: how a node of a process group is started: its process,
 * its socket and pipes, its environment, its cores.
 */
#ifndef STN_LAUNCH_RUN_PROCESS_GROUP_NODE_H
#define STN_LAUNCH_RUN_PROCESS_GROUP_NODE_H

#include "launch/run/process_group.h"

/*
 * process_group_node_start: starts node @rank of the group, which has a place
 * for it in @nodes. STN_IO if there is no socket or no process for the node. If
 * the process can't run the program, it sends ABORT with the reason and ends.
 */
STN_CHECKED enum stn_err
process_group_node_start(struct stn_process_group *group, uint32_t rank,
			 struct stn_why *why);

#endif
