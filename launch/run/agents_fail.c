#include "launch/run/agents_fail.h"

#include <stdarg.h>
#include <stdio.h>

const char *
agents_name(const struct stn_agents *agents, const struct stn_agent_host *host)
{
	return agents->hosts->list[host - agents->list].name;
}

void
agents_fail(struct stn_agents *agents, const struct stn_agent_host *host,
	    const char *format, ...)
{
	struct stn_why why, what;
	va_list list;

	va_start(list, format);
	vsnprintf(what.text, sizeof(what.text), format, list);
	va_end(list);
	stn_because(&why, STN_IO, "host %.80s: %.310s",
		    agents_name(agents, host), what.text);
	agents->events->failed(agents->arg, why.text);
}
