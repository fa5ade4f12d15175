/*
 * config_check.c: what settings mean together.
 */
#include <inttypes.h>
#include <sched.h>
#include <string.h>

#include "steal/balance.h"
#include "steal/config.h"
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
stn_config_check(const struct stn_config *config, struct stn_why *why)
{
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
