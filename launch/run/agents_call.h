/*
 * agents_call.h: calls of agents by ssh, or by a command that replaces ssh; the
 * output of an ssh: the agent's greeting and its frames on standard output, and
 * messages of ssh and the host on standard error.
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

/*
 * agents_count_answer: a host has answered or failed, so the next ones may be
 * called.
 */
void agents_count_answer(struct stn_agents *agents);

/* agents_fail: tells the owner why the run can't go on, and names @host. */
void agents_fail(struct stn_agents *agents, struct stn_agent_host *host,
		 const char *format, ...) __attribute__((format(printf, 3, 4)));

/* agents_name: the name of @host in the file of hosts. */
const char *agents_name(const struct stn_agents *agents,
			const struct stn_agent_host *host);

/*
 * agents_read_reports: reads some of @host's standard output and acts on each
 * complete frame. False at the end of the output.
 */
bool agents_read_reports(struct stn_agents *agents,
			 struct stn_agent_host *host);

/*
 * agents_read_errors: reads some of @host's standard error. False at the end.
 * The text is kept until the agent has sent its greeting, because it may say
 * why there is no greeting. From then on it is printed at once, or added to
 * @agents->errors while standard error can't be written.
 */
bool agents_read_errors(struct stn_agents *agents, struct stn_agent_host *host);

#endif
