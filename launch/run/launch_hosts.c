#include "launch/run/launch_hosts.h"

#include <stdlib.h>
#include <string.h>

#include "launch/cluster_names.h"
#include "launch/config_check.h"
#include "launch/join_far.h"
#include "launch/plan/plan.h"
#include "launch/run/launch_hosts_start.h"
#include "launch/run/launch_input.h"
#include "launch/run/launch_late.h"
#include "launch/run/launch_late_hosts.h"
#include "launch/run/launch_membership.h"
#include "launch/run/launch_wait.h"
#include "parts/hector/check.h"
#include "transport/own_program.h"

/* Computes how many nodes each host and each cluster gets. */
static enum stn_err
launch_hosts_place(struct launch *launch, uint32_t *counts, struct stn_why *why)
{
	struct stn_config *config = &launch->config;
	const struct stn_hosts *hosts = &launch->hosts;
	uint32_t asked = (uint32_t)config->asked_nodes, nodes = 0;
	enum stn_err err;

	/* The number may follow from --clusters or STN_NODES. */
	if (!asked && config->nodes > 1)
		asked = (uint32_t)config->nodes;
	for (uint32_t i = 0; i < hosts->count; i++)
		counts[i] = launch->agents.list[i].offers;
	err = stn_hosts_place(hosts, asked, strcmp(config->per, "auto"), counts,
			      why);
	if (err)
		return err;
	for (uint32_t i = 0; i < hosts->count; i++)
		nodes += counts[i];
	config->nodes = config->asked_nodes = nodes;
	if (hosts->cluster_count < 2)
		return STN_OK;
	config->clusters = hosts->cluster_count;
	return stn_hosts_sizes(hosts, counts, config->sizes,
			       sizeof(config->sizes), why);
}

static enum stn_err
launch_hosts_settle(struct launch *launch, uint32_t *counts,
		    struct stn_why *why)
{
	struct stn_config *config = &launch->config;
	enum stn_err err = launch_hosts_place(launch, counts, why);

	if (!err)
		err = stn_config_check(config, why);
	if (!err)
		err = stn_config_topology(config, &launch->topology, why);
	if (!err)
		err = stn_hector_check(config, launch->topology.nodes, why);
	return err;
}

/* An agent has answered: the next agents have the full time to answer. */
static void
launch_hosts_answered(void *arg)
{
	struct launch *launch = arg;

	if (!launch->killed && !launch->agents.started)
		launch_begin_waiting(launch);
}

/* All agents have answered: places the nodes on hosts and starts them. */
static void
launch_hosts_ready(void *arg)
{
	struct launch *launch = arg;
	uint32_t *counts;
	struct stn_why why;
	enum stn_err err;

	if (launch->agents.started) {
		launch_late_hosts_ready(launch);
		return;
	}
	counts = calloc(launch->hosts.count, sizeof(counts[0]));
	err = counts ? launch_hosts_settle(launch, counts, &why)
		     : stn_because(&why, STN_NO_MEMORY, "out of memory");
	if (!err)
		err = launch_prepare(launch, &why);
	if (!err && launch->late)
		setenv(STN_PLAN_OPEN, "1", 1);
	launch_input_begin(launch);
	if (!err)
		err = launch_hosts_start_first(launch, counts, &why);
	if (err) {
		launch_complain(launch, "%s", why.text);
		if (err == STN_INVALID && !launch->agents.started)
			launch->status = LAUNCH_USAGE;
		launch_kill(launch);
	} else {
		launch_await_nodes(launch);
	}
	free(counts);
}

static void
launch_hosts_failed(void *arg, const char *text)
{
	struct launch *launch = arg;

	launch_complain(launch, "%s", text);
	launch_kill(launch);
}

/* The nodes of the host were killed by the end of their agent. */
static bool
launch_hosts_lost(void *arg, uint32_t first, uint32_t count)
{
	for (uint32_t i = first; i < first + count; i++)
		launch_late_ended(arg, i, SIGKILL); /* if it has not joined */
	return launch_membership_lost(arg, first, count);
}

static bool
launch_hosts_late_failed(void *arg, uint32_t first, uint32_t count,
			 const char *text)
{
	return launch_late_host_failed(arg, first, count, text);
}

static void
launch_hosts_probed(void *arg)
{
	launch_late_hosts_probed(arg);
}

static const struct stn_agents_events events = {
	.late_failed = launch_hosts_late_failed,
	.probed = launch_hosts_probed,
	.lost = launch_hosts_lost,
	.answered = launch_hosts_answered,
	.ready = launch_hosts_ready,
	.failed = launch_hosts_failed,
};

/* On the hosts, sateen has the same path as here, unless --remote is set. */
static enum stn_err
find_remote_sateen(struct stn_config *config, struct stn_why *why)
{
	if (!strcmp(config->remote, "same") &&
	    !stn_own_program(config->remote, sizeof(config->remote)))
		return stn_because(why, STN_IO,
				   "can't find the path of this sateen; set "
				   "--remote");
	if (strchr(config->remote, '\''))
		return stn_because(why, STN_INVALID,
				   "remote is \"%.60s\"; it can't contain a '",
				   config->remote);
	return STN_OK;
}

static bool
is_of_one_process(const char *transport)
{
	return !strcmp(transport, "loop") || !strcmp(transport, "sim");
}

enum stn_err
launch_read_hosts(struct launch *launch, struct stn_why *why)
{
	struct stn_config *config = &launch->config;
	enum stn_err err = stn_hosts_read(config->hosts, &launch->hosts, why);

	if (!err && launch->hosts.cluster_count && strcmp(config->sizes, "1"))
		err = stn_because(why, STN_INVALID,
				  "%.100s has clusters, and so has "
				  "--clusters; leave one of them out",
				  config->hosts);
	if (!err && is_of_one_process(config->transport))
		err = stn_because(why, STN_INVALID,
				  "the transport %s is for nodes of one "
				  "process; leave it or --hosts out",
				  config->transport);
	if (!err && launch->hosts.cluster_count && !stn_join_far_offered() &&
	    stn_cluster_names_set((const char *const *)launch->hosts.clusters,
				  launch->hosts.cluster_count))
		err = stn_because(why, STN_NO_MEMORY, "out of memory");
	return err ? err : find_remote_sateen(config, why);
}

void
launch_call_hosts(struct launch *launch)
{
	const struct stn_config *config = &launch->config;
	struct stn_why why;
	enum stn_err err;

	launch->agents = (struct stn_agents){
		.hosts = &launch->hosts,
		.events = &events,
		.nodes = &launch_nodes,
		.arg = launch,
		.input = &launch->input,
		.errors = &launch->errors,
		.silence_ns = config->silence_ns,
		.ssh = config->ssh,
		.remote = config->remote,
		.per = strcmp(config->per, "auto") ? config->per : "host",
		.before = &launch->before,
	};
	launch_begin_waiting(launch);
	if (launch->muster) {
		launch->agents.one_host = launch->muster->one_host;
		err = stn_agents_adopt(&launch->agents, launch->muster->sockets,
				       &why);
	} else {
		err = stn_agents_call(&launch->agents, &why);
	}
	if (!err)
		return;
	launch_complain(launch, "%s", why.text);
	launch_kill(launch);
}
