/*
 * agents_reports.h: the output of an ssh: the agent's greeting and its frames
 * on standard output, and messages of ssh and the host on standard error.
 */
#ifndef STN_LAUNCH_RUN_AGENTS_REPORTS_H
#define STN_LAUNCH_RUN_AGENTS_REPORTS_H

#include "launch/run/agents.h"

/*
 * agents_read_reports: reads some of @host's standard output and acts on each
 * complete frame. False at the end of the output.
 */
bool agents_read_reports(struct stn_agents *agents,
			 struct stn_agent_host *host);

/*
 * agents_read_errors: reads some of @host's standard error. False at the end.
 * The text is kept until the agent has sent its greeting, because it may say
 * why there is no greeting. From then on it is printed at once.
 */
bool agents_read_errors(struct stn_agent_host *host);

#endif
