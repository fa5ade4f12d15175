/*
 * agents_explain.h: tells the owner why an agent has ended too early: from the
 * status of its ssh, from the last line that ssh or the host's shell has
 * printed, and from how far the agent had come.
 */
#ifndef STN_LAUNCH_RUN_AGENTS_EXPLAIN_H
#define STN_LAUNCH_RUN_AGENTS_EXPLAIN_H

#include "launch/run/agents.h"

/*
 * agents_explain_end: the ssh of @host has ended with host->status, or the
 * connection of an adopted agent has ended. All output has been read. If the
 * end was too early, calls lost or failed of the owner.
 */
void agents_explain_end(struct stn_agents *agents, struct stn_agent_host *host);

#endif
