/*
 * launch_hosts_start.c: what agents need to start nodes.
 */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "launch/run/exported.h"
#include "launch/run/launch_hosts_start.h"

/* Calls @start with what an agent needs to start nodes, but their ranks. */
static enum stn_err
launch_hosts_start(struct launch *launch,
		   enum stn_err (*start)(struct launch *launch, void *arg,
					 struct stn_agent_start *what),
		   void *arg, struct stn_why *why)
{
	char directory[PATH_MAX];
	struct stn_agent_start what = { .directory = directory,
					.program = launch->program };
	enum stn_err err = STN_NO_MEMORY;

	if (!getcwd(directory, sizeof(directory)))
		return stn_because(why, STN_IO,
				   "can't find the current directory");
	what.settings = stn_exported(launch->config.exported);
	if (what.settings)
		err = start(launch, arg, &what);
	free(what.settings);
	return err ? stn_because(why, err, "out of memory") : STN_OK;
}

/* @counts: number of nodes of each host. */
static enum stn_err
start_first(struct launch *launch, void *counts, struct stn_agent_start *what)
{
	return stn_agents_start(&launch->agents, counts, what);
}

/* A host that joins: its number, and the ranks of its nodes. */
struct late_host {
	uint32_t number, first, count;
};

static enum stn_err
start_late(struct launch *launch, void *arg, struct stn_agent_start *what)
{
	const struct late_host *host = arg;

	what->first = host->first;
	what->count = host->count;
	return stn_agents_start_late(&launch->agents, host->number, what);
}

enum stn_err
launch_hosts_start_first(struct launch *launch, uint32_t *counts,
			 struct stn_why *why)
{
	return launch_hosts_start(launch, start_first, counts, why);
}

enum stn_err
launch_hosts_start_late(struct launch *launch, uint32_t number, uint32_t first,
			uint32_t count, struct stn_why *why)
{
	struct late_host host = { number, first, count };

	return launch_hosts_start(launch, start_late, &host, why);
}
