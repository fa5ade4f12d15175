#include "launch/run/agent_private.h"

#include <limits.h>
#include <string.h>

#include "transport/clock.h"

void
agent_give_up(struct agent *agent)
{
	agent->over = true;
	stn_process_group_kill(&agent->group);
}

/* Waits until the launcher can be written to. False: the lease ends before. */
static bool
agent_may_write(const struct agent *agent)
{
	struct pollfd launcher = { agent->to, POLLOUT, 0 };

	while (poll(&launcher, 1,
		    stn_lease_left(&agent->lease, stn_machine_now(NULL))) <= 0)
		if (stn_lease_ended(&agent->lease, stn_machine_now(NULL)))
			return false;
	return true;
}

/*
 * A pipe that poll() calls writable takes PIPE_BUF bytes without blocking.
 */
bool
agent_write(const struct agent *agent, struct stn_bytes *bytes)
{
	bool sent = true;

	while (sent && stn_bytes_count(bytes))
		sent = agent_may_write(agent) &&
		       !stn_bytes_write(bytes, agent->to, PIPE_BUF);
	stn_bytes_fini(bytes);
	return sent;
}

void
agent_report(struct agent *agent, enum stn_wireup_frame_type type,
	     uint32_t rank, const void *body, size_t size)
{
	struct stn_bytes frame = { NULL };
	bool sent = stn_wireup_frame_add(&frame, type, rank, body, size) &&
		    agent_write(agent, &frame);

	if (!sent && !agent->over)
		agent_give_up(agent);
}

void
agent_fail(struct agent *agent, const char *text)
{
	agent_report(agent, STN_WIREUP_FAILED, 0, text, strlen(text));
	agent_give_up(agent);
}
