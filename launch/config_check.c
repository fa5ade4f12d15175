/*
 * config_check.c: checks settings against each other.
 */
#include "launch/config_check.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parts/forecast.h"
#include "parts/scheduler.h"
#include "steal/balancers.h"
#include "launch/cluster_names.h"
#include "launch/join_far.h"
#include "launch/plan/placement.h"
#include "launch/plan/survival.h"
#include "launch/settings.h"
#include "node/clusters.h"
#include "emul/links.h"
#include "emul/sim_transport.h"
#include "transport/transport.h"
#include "transport/units.h"

const char *
stn_config_address(const struct stn_config *config)
{
	return strcmp(config->address, "auto") ? config->address
					       : STN_LOCALHOST;
}

bool
stn_parse_ports(const char *text, uint16_t *first_p, uint16_t *last_p)
{
	char first_text[STN_TEXT_BYTES] = "";
	size_t length = strcspn(text, "-");
	uint64_t first, last;

	if (length < sizeof(first_text))
		memcpy(first_text, text, length);
	if (stn_parse_count(first_text, 1, UINT16_MAX, &first) ||
	    stn_parse_count(text[length] ? text + length + 1 : first_text,
			    first, UINT16_MAX, &last))
		return false;
	*first_p = (uint16_t)first;
	*last_p = (uint16_t)last;
	return true;
}

bool
stn_config_ports(const struct stn_config *config, uint16_t *first_p,
		 uint16_t *last_p)
{
	*first_p = *last_p = 0;
	return !strcmp(config->ports, "auto") ||
	       stn_parse_ports(config->ports, first_p, last_p);
}

/* Reserves ranks for nodes that join, in each cluster. */
static enum stn_err
reserve_ranks(const struct stn_config *config, struct stn_topology *topology)
{
	if (config->max_nodes <= topology->nodes)
		return STN_OK;
	return stn_topology_late(topology,
				 (uint32_t)config->max_nodes - topology->nodes);
}

enum stn_err
stn_config_topology(struct stn_config *config,
		    struct stn_topology *topology, struct stn_why *why)
{
	enum stn_err err;

	*topology = (struct stn_topology){
		.nodes = (uint32_t)config->nodes,
		.clusters = (uint32_t)config->clusters,
		.wan = config->wan,
		.seed = config->seed,
	};
	if (stn_clusters_apply(config->sizes, topology) ||
	    reserve_ranks(config, topology) || stn_cluster_names_get(topology))
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	_Static_assert(sizeof(config->links) == STN_LINKS_PATH, "");
	err = stn_links_find(config->links, why);
	return err ? err : stn_links_read(config->links, topology, why);
}

bool
stn_config_joins(const struct stn_config *config)
{
	return config->max_nodes > config->nodes &&
	       stn_survival_wanted(config) &&
	       strcmp(stn_config_transport(config), "loop");
}

double
stn_config_speed(const struct stn_config *config, uint32_t cluster)
{
	const char *text = config->speed;
	uint32_t last = strchr(text, ',') ? cluster : 0;
	double speed = 0;

	for (uint32_t i = 0; i <= last; i++) {
		char *end;

		speed = isdigit((unsigned char)*text)
				? stn_parse_real(text, &end)
				: 0;
		if (!(speed >= 1e-6 && speed <= 1e6) ||
		    (*end && (*end != ',' || !end[1])) || (i < last && !*end))
			return 0;
		text = end + 1;
	}
	return speed;
}

static bool
speeds_fit(const struct stn_config *config)
{
	uint32_t commas = 0;

	for (const char *at = config->speed; *at; at++)
		commas += *at == ',';
	for (uint32_t i = 0; i < config->clusters; i++)
		if (stn_config_speed(config, i) == 0)
			return false;
	return !commas || commas + 1 == config->clusters;
}

/*
 * A setting of cluster sizes already gives the number of nodes. -n may be set
 * as well, but must agree.
 */
static enum stn_err
check_sizes(const struct stn_config *config, struct stn_why *why)
{
	uint64_t clusters, nodes, asked = config->asked_nodes;

	if (stn_clusters_parse(config->sizes, UINT32_MAX, &clusters, &nodes) ||
	    !nodes || !asked || asked == nodes)
		return STN_OK;
	return stn_because(why, STN_INVALID,
			   "clusters of %.60s have %" PRIu64
			   " nodes, and -n says %" PRIu64 "; leave it out",
			   config->sizes, nodes, asked);
}

enum stn_err
stn_config_launched(struct stn_config *config, uint32_t nodes,
		    struct stn_why *why)
{
	uint64_t clusters, in_clusters = 0;

	if (stn_clusters_parse(config->sizes, UINT32_MAX, &clusters,
			       &in_clusters))
		in_clusters = 0;
	if ((config->asked_nodes || in_clusters) && config->nodes != nodes)
		return stn_because(why, STN_INVALID,
				   "%s says %" PRIu64 " nodes, but the "
				   "launcher started %" PRIu32 "; leave it out",
				   in_clusters ? "STN_CLUSTERS" : "STN_NODES",
				   config->nodes, nodes);
	if (nodes > 1 && !strcmp(config->transport, "loop"))
		return stn_because(why, STN_INVALID,
				   "the transport loop is for nodes of one "
				   "process, and the launcher started %" PRIu32
				   "; leave STN_TRANSPORT out",
				   nodes);
	config->nodes = nodes;
	return STN_OK;
}

static bool
config_transport_known(const char *name)
{
	return !strcmp(name, STN_SIM_TRANSPORT) || stn_transport_known(name);
}

static enum stn_err
check_survive(const struct stn_config *config, struct stn_why *why)
{
	if (!strcmp(config->survive, "auto") ||
	    !strcmp(config->survive, "yes") || !strcmp(config->survive, "no"))
		return stn_survival_check(config, why);
	return stn_because(why, STN_INVALID,
			   "survive is \"%s\"; it can be auto, yes or no",
			   config->survive);
}

/* The membership of a run changes only if the run survives changes. */
static enum stn_err
check_max_nodes(const struct stn_config *config, struct stn_why *why)
{
	if (!config->max_nodes || stn_config_joins(config))
		return STN_OK;
	if (config->max_nodes < config->nodes)
		return stn_because(why, STN_INVALID,
				   "max-nodes is %" PRIu64 ", and the run has "
				   "%" PRIu64 " nodes; raise --max-nodes",
				   config->max_nodes, config->nodes);
	if (config->max_nodes == config->nodes)
		return STN_OK;
	return stn_because(why, STN_INVALID,
			   "max-nodes lets nodes join, which needs survival "
			   "(--survive), and another transport than loop");
}

static enum stn_err
check_choice(const char *name, const char *value, struct stn_why *why)
{
	if (!strcmp(value, "yes") || !strcmp(value, "no"))
		return STN_OK;
	return stn_because(why, STN_INVALID,
			   "%s is \"%s\"; it can be yes or no", name, value);
}

static enum stn_err
check_keep(const struct stn_config *config, struct stn_why *why)
{
	enum stn_err err = check_choice("keep-all", config->keep_all, why);

	return err ? err : check_choice("check-pure", config->check_pure, why);
}

/* "tasks" alone is probably no file's name. */
static enum stn_err
check_trace(const struct stn_config *config, struct stn_why *why)
{
	if (strcmp(config->trace, "tasks") && *stn_config_trace_file(config))
		return STN_OK;
	return stn_because(why, STN_INVALID,
			   "trace is \"%s\"; name a file: tasks:FILE",
			   config->trace);
}

/* Is @file the log of a node's messages, FILE.3? */
static bool
is_message_log(const struct stn_config *config, const char *file)
{
	const char *log = config->message_log;
	size_t length = strlen(log);

	if (!strcmp(log, "none") || strncmp(file, log, length) ||
	    file[length] != '.')
		return false;
	file += length + 1;
	return *file && !file[strspn(file, "0123456789")];
}

static enum stn_err
twice(const char *one, const char *other, const char *file, struct stn_why *why)
{
	return stn_because(why, STN_INVALID,
			   "both --%s and --%s would write %.200s; name "
			   "another file",
			   one, other, file);
}

/*
 * The trace, the statistics and each message log are opened separately, so two
 * of them in one file would overwrite each other.
 */
static enum stn_err
check_files(const struct stn_config *config, struct stn_why *why)
{
	const char *trace = stn_config_trace_file(config);
	const char *json = config->stats.json;

	if (stn_config_traces(config) && !strcmp(trace, json) &&
	    strcmp(json, "/dev/null"))
		return twice("trace", "stats", json, why);
	if (stn_config_traces(config) && is_message_log(config, trace))
		return twice("message-log", "trace", trace, why);
	if (is_message_log(config, json))
		return twice("message-log", "stats", json, why);
	return STN_OK;
}

/*
 * The first of these names that was given as an option, or NULL. Variables
 * don't count: they may be set for several commands.
 */
static const char *
first_given(const struct stn_config *config, const char *const *names)
{
	while (*names && !stn_config_given(config, *names))
		names++;
	return *names;
}

/* All nodes of a simulation are in one process, and send by no network. */
static enum stn_err
check_simulated(const struct stn_config *config, struct stn_why *why)
{
	static const char *const real_only[] = { "per",	      "provider",
						 "near",      "device",
						 "interface", "address",
						 "ports",     NULL };
	const char *name = first_given(config, real_only);

	if (strcmp(config->metrics, "none"))
		return stn_because(why, STN_INVALID,
				   "a run in virtual time has no metrics; use "
				   "`sateen run`, or leave --metrics out");
	if (name)
		return stn_because(why, STN_INVALID,
				   "%s is for real time only; use `sateen "
				   "run`, or leave --%s out",
				   name, name);
	if (config->workers == 1 || !stn_config_given(config, "workers"))
		return STN_OK;
	return stn_because(why, STN_INVALID,
			   "each node has one worker in virtual time; use "
			   "`sateen run`, or leave --workers out");
}

/* Only the simulator carries events out, and changes speeds. */
static enum stn_err
check_virtual(const struct stn_config *config, struct stn_why *why)
{
	static const char *const virtual_only[] = { "lan",	 "overhead",
						    "threads",	 "cost",
						    "task-cost", "unit-cost",
						    "speed",	 NULL };
	const char *name = first_given(config, virtual_only);

	if (!strcmp(stn_config_transport(config), STN_SIM_TRANSPORT))
		return check_simulated(config, why);
	if (name)
		return stn_because(why, STN_INVALID,
				   "%s is for virtual time only; use `sateen "
				   "sim`, or leave --%s out",
				   name, name);
	if (strcmp(config->speeds, "none"))
		return stn_because(why, STN_INVALID,
				   "speeds are for virtual time only; use "
				   "`sateen sim`, or leave --speeds out");
	if (!strcmp(stn_config_events(config), "none"))
		return STN_OK;
	return stn_because(why, STN_INVALID,
			   "events happen in virtual time only; use `sateen "
			   "sim`, or leave --events out");
}

/* Rings in memory use no interface of the host. */
static enum stn_err
check_rings(const struct stn_config *config, struct stn_why *why)
{
	static const char *const fabric[] = { "device", "interface", "address",
					      "ports", NULL };
	const char *name = first_given(config, fabric);

	if (strcmp(config->transport, "shm"))
		return STN_OK;
	if (strcmp(config->provider, "auto"))
		return stn_because(why, STN_INVALID,
				   "the transport shm has no providers, and "
				   "provider is \"%s\"; leave --transport or "
				   "--provider out",
				   config->provider);
	if (!name)
		return STN_OK;
	return stn_because(why, STN_INVALID,
			   "the transport shm uses no network; leave "
			   "--transport or --%s out",
			   name);
}

/*
 * The clusters of hosts are known only when their file has been read, and those
 * of `sateen join` have other launchers.
 */
static enum stn_err
check_wan(const struct stn_config *config, struct stn_why *why)
{
	if (!stn_config_given(config, "wan") || stn_link_none(&config->wan) ||
	    config->clusters > 1 || stn_config_given(config, "clusters") ||
	    strcmp(config->hosts, "none") || stn_join_far_offered())
		return STN_OK;
	return stn_because(why, STN_INVALID,
			   "wan is a link between clusters, and the run has "
			   "one cluster; raise --clusters, or leave --wan out");
}

enum stn_err
stn_config_check(const struct stn_config *config, struct stn_why *why)
{
	enum stn_err err = check_sizes(config, why);
	uint16_t first, last;

	if (err)
		return err;
	if (config->clusters > config->nodes)
		return stn_because(why, STN_INVALID,
				   "%" PRIu64 " clusters need at least as many "
				   "nodes, and there are %" PRIu64
				   "; raise -n or lower --clusters",
				   config->clusters, config->nodes);
	if (strcmp(config->pin, "auto") && strcmp(config->pin, "yes") &&
	    strcmp(config->pin, "no"))
		return stn_because(why, STN_INVALID,
				   "pin is \"%s\"; it can be yes, no or auto",
				   config->pin);
	if (strcmp(config->fuse, "auto") && strcmp(config->fuse, "no"))
		return stn_because(why, STN_INVALID,
				   "fuse is \"%s\"; it can be auto or no",
				   config->fuse);
	if (strcmp(config->per, "auto"))
		err = stn_placement_check(config->per, why);
	if (err)
		return err;
	if (!speeds_fit(config))
		return stn_because(why, STN_INVALID,
				   "speed is \"%s\"; it must be a number such "
				   "as 0.5, or one for each of %" PRIu64
				   " clusters, by commas",
				   config->speed, config->clusters);
	if (strcmp(config->cost, "measured") &&
	    strcmp(config->cost, "counted") && strcmp(config->cost, "hollow"))
		return stn_because(why, STN_INVALID,
				   "cost is \"%s\"; it can be measured, "
				   "counted or hollow",
				   config->cost);
	if (!stn_balancer_find(config->balancer))
		return stn_because(why, STN_INVALID,
				   "no balancer \"%s\"; see `sateen info` for "
				   "those there are",
				   config->balancer);
	if (!stn_scheduler_find(config->scheduler))
		return stn_because(why, STN_INVALID,
				   "no scheduler \"%s\"; see `sateen info` for "
				   "the names",
				   config->scheduler);
	if (!stn_forecast_find(config->forecast))
		return stn_because(why, STN_INVALID,
				   "no forecast \"%s\"; see `sateen info` for "
				   "the names",
				   config->forecast);
	if (!config_transport_known(stn_config_transport(config)))
		return stn_because(why, STN_MISSING,
				   "no transport \"%s\" was built; see "
				   "`sateen info` for those that were, and for "
				   "their providers (--provider tcp)",
				   stn_config_transport(config));
	err = check_rings(config, why);
	if (err)
		return err;
	if (strcmp(config->near, "auto") && strcmp(config->near, "yes") &&
	    strcmp(config->near, "no"))
		return stn_because(why, STN_INVALID,
				   "near is \"%s\"; it can be yes, no or auto",
				   config->near);
	if (!stn_config_ports(config, &first, &last))
		return stn_because(why, STN_INVALID,
				   "ports are \"%s\"; they are written as "
				   "9000-9010",
				   config->ports);
	err = check_survive(config, why);
	if (!err)
		err = check_max_nodes(config, why);
	if (!err)
		err = check_keep(config, why);
	if (!err)
		err = check_trace(config, why);
	if (!err)
		err = check_files(config, why);
	if (!err)
		err = check_wan(config, why);
	return err ? err : check_virtual(config, why);
}
