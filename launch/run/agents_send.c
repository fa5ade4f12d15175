#include "launch/run/agents.h"

#include <stdlib.h>

#include "launch/run/agents_call.h"

#define OVER_MS 1000 /* for an agent to take the news that the run is over */

void
stn_agents_send(struct stn_agents *agents, enum stn_wireup_frame_type type,
		const void *body, size_t size)
{
	for (uint32_t i = 0; i < agents->count; i++) {
		struct stn_agent_host *host = &agents->list[i];

		if (host->orders < 0 || !host->count)
			continue;
		if (!stn_wireup_frame_add(&host->to, type, 0, body, size))
			agents_fail(agents, host,
				    "out of memory for frames to its agent");
	}
}

void
stn_agents_send_one(struct stn_agents *agents, uint32_t rank,
		    enum stn_wireup_frame_type type, const void *body,
		    size_t size)
{
	for (uint32_t i = 0; i < agents->count; i++) {
		struct stn_agent_host *host = &agents->list[i];

		if (rank - host->first < host->count && host->orders >= 0 &&
		    !stn_wireup_frame_add(&host->to, type, rank, body, size))
			agents_fail(agents, host,
				    "out of memory for frames to its agent");
	}
}

bool
stn_agents_probe(struct stn_agents *agents, uint32_t number,
		 const struct stn_host_port *targets, uint32_t count)
{
	struct stn_agent_host *host = &agents->list[number];

	free(host->round_trips_ns);
	host->round_trips_ns = NULL;
	host->probed = count;
	host->probing = stn_wireup_frame_add(&host->to, STN_WIREUP_PROBE, 0,
					     targets,
					     count * sizeof(targets[0]));
	return host->probing;
}

bool
stn_agents_probing(const struct stn_agents *agents)
{
	for (uint32_t i = 0; i < agents->count; i++)
		if (agents->list[i].probing)
			return true;
	return false;
}

void
stn_agents_kill(struct stn_agents *agents, uint32_t rank)
{
	stn_agents_send_one(agents, rank, STN_WIREUP_KILL, NULL, 0);
}

bool
stn_agents_interrupt(struct stn_agents *agents, uint32_t rank)
{
	for (uint32_t i = 0; i < agents->count; i++) {
		const struct stn_agent_host *host = &agents->list[i];

		if (rank - host->first >= host->count || host->orders < 0)
			continue;
		stn_agents_send_one(agents, rank, STN_WIREUP_INTERRUPT, NULL,
				    0);
		return true;
	}
	return false;
}

/* Also writes what the agent has not taken yet. */
static void
say_over(struct stn_agent_host *host)
{
	struct pollfd one = { host->orders, POLLOUT, 0 };

	if (!stn_wireup_frame_add(&host->to, STN_WIREUP_OVER, 0, NULL, 0))
		return;
	while (stn_bytes_count(&host->to) && poll(&one, 1, OVER_MS) > 0 &&
	       !stn_bytes_write(&host->to, host->orders, SIZE_MAX))
		continue;
}

void
stn_agents_over(struct stn_agents *agents)
{
	for (uint32_t i = 0; i < agents->count; i++) {
		struct stn_agent_host *host = &agents->list[i];

		if (agents->adopted && host->orders >= 0)
			say_over(host);
	}
}
