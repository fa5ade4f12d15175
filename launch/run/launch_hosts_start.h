/*
 * launch_hosts_start.h: lets agents that have answered start nodes.
 */
#ifndef STN_LAUNCH_RUN_LAUNCH_HOSTS_START_H
#define STN_LAUNCH_RUN_LAUNCH_HOSTS_START_H

#include "launch/run/launch.h"

/*
 * launch_hosts_start_first: starts counts[i] nodes on host i, for all hosts.
 * launch_hosts_start_late: starts @count nodes from rank @first on on host
 * @number, which was added.
 */
STN_CHECKED enum stn_err launch_hosts_start_first(struct launch *launch,
						  uint32_t *counts,
						  struct stn_why *why);
STN_CHECKED enum stn_err
launch_hosts_start_late(struct launch *launch, uint32_t number, uint32_t first,
			uint32_t count, struct stn_why *why);

#endif
