#include "launch/run/agents_lease.h"

#include <string.h>
#include <sys/socket.h>

#include "launch/run/agents_call.h"
#include "launch/run/lease.h"
#include "transport/clock.h"

static void
answer(struct stn_agents *agents, struct stn_agent_host *host, uint64_t asked)
{
	if (host->orders >= 0 &&
	    !stn_wireup_frame_add(&host->to, STN_WIREUP_RENEWED, 0, &asked,
				  sizeof(asked)))
		agents_fail(agents, host, "out of memory for its lease");
}

void
agents_lease_asked(struct stn_agents *agents, struct stn_agent_host *host,
		   const struct stn_wireup_frame *frame)
{
	uint64_t asked;

	memcpy(&asked, frame->body, sizeof(asked));
	host->heard_ns = stn_machine_now(NULL);
	answer(agents, host, asked);
}

void
agents_lease_begins(struct stn_agent_host *host)
{
	host->heard_ns = stn_machine_now(NULL);
}

/* Does the host have a lease? It needs none when its nodes have ended. */
static bool
has_lease(const struct stn_agents *agents, const struct stn_agent_host *host)
{
	return agents->silence_ns && host->heard_ns && !host->probing &&
	       (host->running || !host->count) &&
	       (host->ssh || agents->adopted);
}

static uint64_t
lease_end(const struct stn_agents *agents, const struct stn_agent_host *host)
{
	return has_lease(agents, host) ? host->heard_ns + agents->silence_ns +
						 STN_LEASE_MARGIN_NS
				       : UINT64_MAX;
}

void
stn_agents_lease_check(struct stn_agents *agents)
{
	uint64_t now = stn_machine_now(NULL);

	for (uint32_t i = 0; i < agents->count; i++) {
		struct stn_agent_host *host = &agents->list[i];

		if (now < lease_end(agents, host))
			continue;
		host->heard_ns = 0;
		host->silent = true;
		if (host->ssh)
			kill(-host->ssh, SIGKILL);
		else /* reports end, which tells of the loss */
			shutdown(host->reports, SHUT_RDWR);
	}
}

int
stn_agents_lease_wait(const struct stn_agents *agents)
{
	uint64_t now = stn_machine_now(NULL), first = UINT64_MAX;

	for (uint32_t i = 0; i < agents->count; i++) {
		uint64_t end = lease_end(agents, &agents->list[i]);

		first = end < first ? end : first;
	}
	if (first == UINT64_MAX)
		return -1;
	return first > now ? (int)((first - now) / 1000000) + 1 : 0;
}

/* The next request begins the lease again. */
void
stn_agents_pause(struct stn_agents *agents, bool pause)
{
	bool suspends = pause && !agents->paused;

	agents->paused = pause;
	for (uint32_t i = 0;
	     suspends && i < agents->count; i++) {
		struct stn_agent_host *host = &agents->list[i];

		if (host->heard_ns)
			answer(agents, host, STN_LEASE_SUSPENDED);
		host->heard_ns = 0;
	}
}
