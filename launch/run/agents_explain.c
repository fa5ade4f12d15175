#include "launch/run/agents_explain.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "launch/run/agents_call.h"
#include "transport/clock.h"

/* The last line of ssh or the host's shell on standard error; "" if none. */
static const char *
last_error_line(struct stn_agent_host *host, char line[200])
{
	const char *front = (const char *)stn_bytes_front(&host->error_text);
	size_t end = stn_bytes_count(&host->error_text), start;

	while (end && strchr("\r\n ", front[end - 1]))
		end--;
	for (start = end; start && front[start - 1] != '\n';)
		start--;
	snprintf(line, 200, "%.*s", (int)(end - start), front + start);
	return line;
}

/* An ssh has ended before its agent sent a greeting. */
static void
agents_explain_silence(struct stn_agents *agents, struct stn_agent_host *host)
{
	char line[200];
	int status = WIFEXITED(host->status) ? WEXITSTATUS(host->status) : -1;
	const char *error_text = last_error_line(host, line);

	if (status == 126 || status == 127)
		agents_fail(agents, host,
			    "no Sateen runs there as %.100s (%s); install the "
			    "same version, or set --remote to its path",
			    agents->remote,
			    *error_text ? error_text : "not found");
	else if (*error_text)
		agents_fail(agents, host, "%s", error_text);
	else
		agents_fail(agents, host,
			    "no agent answers (ssh ended with status %d)",
			    status >= 0 ? status
					: 128 + WTERMSIG(host->status));
}

void
agents_explain_end(struct stn_agents *agents, struct stn_agent_host *host)
{
	int status = WIFEXITED(host->status) ? WEXITSTATUS(host->status)
					     : 128 + WTERMSIG(host->status);

	if (!host->greeted && !agents->adopted)
		agents_explain_silence(agents, host);
	else if (host->running &&
		 agents->events->lost(agents->arg, host->first, host->count))
		return;
	else if (host->silent)
		agents_fail(agents, host,
			    "its agent has not answered for %.1f s",
			    (double)agents->silence_ns / STN_SECOND_NS);
	else if (agents->adopted)
		agents_fail(agents, host, "its agent died");
	else if (host->running)
		agents_fail(agents, host,
			    "lost its agent, and %" PRIu32
			    " nodes with it (ssh ended with status %d)",
			    host->running, status);
	else if (!agents->started || host->probing)
		agents_fail(agents, host,
			    "its agent left (ssh ended with status %d)",
			    status);
}
