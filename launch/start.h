/*
 * start.h: starts a node of a run that this process has joined: makes the plan,
 * opens the transport, meets the other nodes, and runs the node to its end.
 */
#ifndef STN_LAUNCH_START_H
#define STN_LAUNCH_START_H

#include "launch/join.h"

/*
 * stn_start_node: the part of a node, for stn_join. @program is a struct
 * stn_program, which all nodes of the process share.
 */
STN_CHECKED enum stn_err
stn_start_node(void *program, const struct stn_joined *joined, int *status_p);

#endif
