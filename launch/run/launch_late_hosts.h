/*
 * launch_late_hosts.h: hosts that join a run (`sateen add --hosts`). Their
 * agents are called as those of the first hosts. When each has answered or
 * failed, they measure how far the clusters are (launch_late_near.h). Then
 * their nodes join as launch_late.h says.
 */
#ifndef STN_LAUNCH_RUN_LAUNCH_LATE_HOSTS_H
#define STN_LAUNCH_RUN_LAUNCH_LATE_HOSTS_H

#include "launch/run/launch.h"

/*
 * launch_late_hosts_asked: a client asks for nodes on the hosts in the file
 * @path. @cluster is the cluster of the hosts for which the file names none, or
 * NULL.
 * launch_late_hosts_ready: all agents have answered, or failed.
 * launch_late_hosts_probed: an agent has measured, or failed.
 */
void launch_late_hosts_asked(struct launch *launch, uint64_t request,
			     const char *path, const char *cluster);
void launch_late_hosts_ready(struct launch *launch);
void launch_late_hosts_probed(struct launch *launch);

#endif
