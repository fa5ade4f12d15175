/*
 * agents_fail.h: failures of a host, which the owner of the agents is told.
 */
#ifndef STN_LAUNCH_RUN_AGENTS_FAIL_H
#define STN_LAUNCH_RUN_AGENTS_FAIL_H

#include "launch/run/agents.h"

/* agents_fail: tells the owner why the run can't go on, and names @host. */
void agents_fail(struct stn_agents *agents, const struct stn_agent_host *host,
		 const char *format, ...) __attribute__((format(printf, 3, 4)));

/* agents_name: the name of @host in the file of hosts. */
const char *agents_name(const struct stn_agents *agents,
			const struct stn_agent_host *host);

#endif
