/*
 * agents_lease.h: the launcher's side of leases (lease.h). A host whose agent
 * has not asked for so long that its lease must have ended is lost: its ssh is
 * killed, or its connection is shut down, and that end is reported as the loss
 * of the agent.
 */
#ifndef STN_LAUNCH_RUN_AGENTS_LEASE_H
#define STN_LAUNCH_RUN_AGENTS_LEASE_H

#include "launch/run/agents.h"

/*
 * agents_lease_asked: an agent asks for a lease, with this LEASE frame. Answers
 * it.
 */
void agents_lease_asked(struct stn_agents *agents, struct stn_agent_host *host,
			const struct stn_wireup_frame *frame);

/*
 * agents_lease_begins: the host's lease begins now; the agent had no lease
 * while it measured.
 */
void agents_lease_begins(struct stn_agent_host *host);

/*
 * stn_agents_lease_check: gives up the hosts whose leases have ended. To be
 * called when the owner has read all that the agents have sent.
 * stn_agents_lease_wait: milliseconds until the next call; -1: there is no
 * lease.
 */
void stn_agents_lease_check(struct stn_agents *agents);
int stn_agents_lease_wait(const struct stn_agents *agents);

/*
 * stn_agents_pause: reads no reports from now on, or reads them again.
 */
void stn_agents_pause(struct stn_agents *agents, bool pause);

#endif
