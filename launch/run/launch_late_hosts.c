#include "launch/run/launch_late_hosts.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "launch/run/hosts.h"
#include "launch/run/launch_hosts_start.h"
#include "launch/run/launch_late_cluster.h"
#include "launch/run/launch_late_near.h"
#include "launch/run/launch_late_private.h"
#include "launch/run/launch_membership.h"

/*
 * Finds the clusters of the hosts: those that the file names, or else @cluster.
 * NULL: they are chosen later.
 */
static enum stn_err
find_clusters(const struct launch *launch, struct stn_hosts *more,
	      const char *cluster, struct stn_why *why)
{
	enum stn_err err = STN_OK;

	for (uint32_t i = 0; !err && i < more->count; i++) {
		uint32_t *found = &more->list[i].cluster;
		const char *name =
			more->cluster_count ? more->clusters[*found] : cluster;

		*found = STN_NOBODY;
		if (name)
			err = late_cluster(launch, name, found, why);
	}
	return err;
}

/* Appends the hosts to those of the run. */
static enum stn_err
append_hosts(struct stn_hosts *hosts, struct stn_hosts *more,
	     struct stn_why *why)
{
	struct stn_host *list = reallocarray(
		hosts->list, hosts->count + more->count, sizeof(list[0]));

	if (!list)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	hosts->list = list;
	for (uint32_t i = 0; i < more->count; i++)
		list[hosts->count++] = more->list[i];
	more->count = 0; /* the names have moved */
	return STN_OK;
}

/* To open a pipe would block until somebody writes, and the leases would end. */
static enum stn_err
check_file(const char *path, struct stn_why *why)
{
	struct stat is;

	if (stat(path, &is) || S_ISREG(is.st_mode))
		return STN_OK; /* or a failure that stn_hosts_read explains */
	return stn_because(why, STN_INVALID,
			   "%.100s is no regular file; name one with the hosts",
			   path);
}

void
launch_late_hosts_asked(struct launch *launch, uint64_t request,
			const char *path, const char *cluster)
{
	struct stn_hosts more = { .count = 0 };
	struct launch_late *late = launch->late;
	struct stn_why why;
	enum stn_err err = STN_OK;

	if (!late_accept(launch, request))
		return;
	if (!launch->hosts.count)
		err = stn_because(&why, STN_INVALID,
				  "this run has its nodes on its launcher's "
				  "host; start it with --hosts, so that its "
				  "nodes can talk to other hosts");
	else if (!launch_membership_begun(launch))
		err = stn_because(&why, STN_INVALID,
				  "the run has not begun yet; try again");
	if (!err)
		err = check_file(path, &why);
	if (!err)
		err = stn_hosts_read(path, &more, &why);
	if (!err)
		err = find_clusters(launch, &more, cluster, &why);
	if (!err)
		err = append_hosts(&launch->hosts, &more, &why);
	stn_hosts_fini(&more);
	if (err) {
		stn_control_end(launch->control, request, why.text);
		return;
	}
	late->busy = late->calling = true;
	late->request = request;
	late_begin(launch);
	if (stn_agents_add(&launch->agents, &why))
		launch->agents.events->failed(launch, why.text);
}

/* The number of nodes that a host that was added wants. */
static uint32_t
wanted_nodes(const struct launch *launch, uint32_t number)
{
	const struct stn_agent_host *agent = &launch->agents.list[number];
	uint32_t nodes = launch->hosts.list[number].nodes;

	if (!agent->late || agent->count || agent->orders < 0)
		return 0;
	return nodes ? nodes : agent->offers;
}

/* Starts the nodes of a host that was added, as many as there is room for. */
static void
start_host(struct launch *launch, uint32_t number)
{
	const struct stn_agent_host *agent = &launch->agents.list[number];
	struct launch_late *late = launch->late;
	uint32_t wanted = wanted_nodes(launch, number), first;
	uint32_t count =
		late_take(launch, launch->hosts.list[number].cluster, wanted,
			  agent->round_trips_ns, &first);
	struct stn_why why;

	if (count < wanted)
		snprintf(late->reason, sizeof(late->reason),
			 "the run has no room for more nodes; start it with a "
			 "larger --max-nodes");
	if (!count && agent->late && !agent->count)
		stn_agents_dismiss(&launch->agents, number);
	if (count &&
	    launch_hosts_start_late(launch, number, first, count, &why))
		launch_late_host_failed(launch, first, count, why.text);
}

void
launch_late_hosts_probed(struct launch *launch)
{
	struct launch_late *late = launch->late;

	if (!late->measuring || stn_agents_probing(&launch->agents))
		return; /* or the request was given up */
	late->calling = late->measuring = false;
	for (uint32_t i = 0; i < launch->hosts.count; i++)
		start_host(launch, i);
}

void
launch_late_hosts_ready(struct launch *launch)
{
	if (!launch->late->calling)
		return; /* the request was given up */
	late_measure(launch);
	launch->late->measuring = true;
	launch_late_hosts_probed(launch);
}
