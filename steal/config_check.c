/*
 * config_check.c: what settings mean together.
 */
#include <ctype.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "steal/balance.h"
#include "steal/join/clusters.h"
#include "steal/config.h"
#include "transport/links.h"
#include "transport/transport.h"

const char *
stn_config_transport(const struct stn_config *config)
{
	bool fabric = strcmp(config->provider, "auto") || config->port ||
		      strcmp(config->address, STN_LOCALHOST);

	if (strcmp(config->transport, "auto"))
		return config->transport;
	if (config->nodes == 1)
		return "loop";
	return fabric || !stn_transport_known("shm") ? "ofi" : "shm";
}

unsigned
stn_config_workers(const struct stn_config *config)
{
	uint64_t share;
	cpu_set_t cores;

	if (config->workers)
		return (unsigned)config->workers;
	if (sched_getaffinity(0, sizeof(cores), &cores))
		return 1;
	share = (uint64_t)CPU_COUNT(&cores) / config->nodes;
	return share ? (unsigned)share : 1;
}

enum stn_err
stn_config_topology(const struct stn_config *config,
		    struct stn_topology *topology, struct stn_why *why)
{
	*topology = (struct stn_topology){
		.nodes = (uint32_t)config->nodes,
		.clusters = (uint32_t)config->clusters,
		.wan = config->wan,
		.seed = config->seed,
	};
	if (stn_clusters_apply(config->sizes, topology))
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	return stn_links_read(config->links, topology, why);
}

double
stn_config_speed(const struct stn_config *config, uint32_t cluster)
{
	const char *text = config->speed;
	uint32_t last = strchr(text, ',') ? cluster : 0;
	double speed = 0;

	for (uint32_t i = 0; i <= last; i++) {
		char *end;

		speed = isdigit((unsigned char)*text) ? strtod(text, &end) : 0;
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

/* Who says sizes of clusters needn't say how many nodes, but may. */
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
stn_config_check(const struct stn_config *config, struct stn_why *why)
{
	enum stn_err err = check_sizes(config, why);

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
	if (!speeds_fit(config))
		return stn_because(why, STN_INVALID,
				   "speed is \"%s\"; it must be a number such "
				   "as 0.5, or one for each of %" PRIu64
				   " clusters, by commas",
				   config->speed, config->clusters);
	if (strcmp(config->cost, "measured") && strcmp(config->cost, "counted"))
		return stn_because(why, STN_INVALID,
				   "cost is \"%s\"; it can be measured or "
				   "counted",
				   config->cost);
	if (!stn_balancer_find(config->balancer))
		return stn_because(why, STN_INVALID,
				   "no balancer \"%s\"; see `sateen info` for "
				   "those there are",
				   config->balancer);
	if (!stn_transport_known(stn_config_transport(config)))
		return stn_because(why, STN_MISSING,
				   "no transport \"%s\" was built; see "
				   "`sateen info` for those that were",
				   stn_config_transport(config));
	if (config->port && config->port + config->nodes - 1 > 65535)
		return stn_because(why, STN_INVALID,
				   "ports from %" PRIu64 " on are too few for "
				   "%" PRIu64 " nodes; lower --port",
				   config->port, config->nodes);
	return STN_OK;
}
