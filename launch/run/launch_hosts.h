/*
 * launch_hosts.h: the settings of a run, from the environment and the command
 * line; a run on several hosts, through agents.
 */
#ifndef STN_LAUNCH_RUN_LAUNCH_HOSTS_H
#define STN_LAUNCH_RUN_LAUNCH_HOSTS_H

#include "launch/run/launch.h"

/*
 * launch_settings: reads the settings and checks them. Without a run to launch,
 * tells the user why and returns false.
 */
bool launch_settings(struct launch *launch, int argc, char **argv);

/* launch_read_hosts: reads the file of hosts that the settings name. */
STN_CHECKED enum stn_err launch_read_hosts(struct launch *launch,
					   struct stn_why *why);

/*
 * launch_call_hosts: calls the agents. The nodes start when all agents have
 * answered.
 */
void launch_call_hosts(struct launch *launch);

#endif
