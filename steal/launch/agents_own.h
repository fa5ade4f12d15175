/*
 * agents_own.h: what the files of agents.h share.
 */
#ifndef STN_STEAL_LAUNCH_AGENTS_OWN_H
#define STN_STEAL_LAUNCH_AGENTS_OWN_H

#include "steal/launch/agents.h"

/* agents_call: starts ssh to the next hosts, as many as may be called now. */
STN_CHECKED enum stn_err agents_call(struct stn_agents *agents,
				     struct stn_why *why);

/* agents_hear: takes some of what an agent reports; false at the end of it. */
bool agents_hear(struct stn_agents *agents, struct stn_agent_host *host);

/*
 * agents_overhear: takes some of what ssh and a host print on standard error;
 * false at the end of it. It is kept until the agent has greeted, as it may be
 * the reason why it doesn't.
 */
bool agents_overhear(struct stn_agent_host *host);

/* agents_fail: tells the owner why the run can't go on, naming the host. */
void agents_fail(struct stn_agents *agents, const struct stn_agent_host *host,
		 const char *format, ...) __attribute__((format(printf, 3, 4)));

const char *agents_name(const struct stn_agents *agents,
			const struct stn_agent_host *host);

/* agents_close: closes a descriptor that may be closed already. */
void agents_close(int *fd);

#endif
