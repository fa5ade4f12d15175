/*
 * agents_call.h: calls of agents by ssh, or by a command that replaces ssh.
 */
#ifndef STN_LAUNCH_RUN_AGENTS_CALL_H
#define STN_LAUNCH_RUN_AGENTS_CALL_H

#include "launch/run/agents.h"

/*
 * agents_call_next: starts ssh to the next hosts, as many as may be called now.
 * On failure @why names the host.
 */
STN_CHECKED enum stn_err agents_call_next(struct stn_agents *agents,
					  struct stn_why *why);

#endif
