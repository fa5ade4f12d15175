#include <inttypes.h>

#include "launch/run/hosts.h"

/* Fills one host after the other. */
static void
fill(const struct stn_hosts *hosts, const uint32_t *room, uint32_t asked,
     uint32_t *counts)
{
	for (uint32_t i = 0; i < hosts->count; i++) {
		counts[i] = asked < room[i] ? asked : room[i];
		asked -= counts[i];
	}
}

static void
hosts_place_evenly(const struct stn_hosts *hosts, uint32_t asked,
		   uint32_t *counts)
{
	for (uint32_t i = 0; i < hosts->count; i++)
		counts[i] = asked / hosts->count + (i < asked % hosts->count);
}

enum stn_err
stn_hosts_place(const struct stn_hosts *hosts, uint32_t asked, bool told,
		uint32_t *counts, struct stn_why *why)
{
	uint64_t room = 0;

	for (uint32_t i = 0; i < hosts->count; i++) {
		if (hosts->list[i].nodes) {
			counts[i] = hosts->list[i].nodes;
			told = true;
		}
		room += counts[i];
	}
	if (!asked && room > STN_HOSTS_NODES)
		return stn_because(why, STN_INVALID,
				   "the hosts would have %" PRIu64
				   " nodes in all; at most %d are possible",
				   room, STN_HOSTS_NODES);
	if (asked > room && told)
		return stn_because(why, STN_INVALID,
				   "%" PRIu32 " hosts have room for %" PRIu64
				   " nodes, and -n says %" PRIu32
				   "; lower it, or raise slots= or --per",
				   hosts->count, room, asked);
	if (asked > room)
		hosts_place_evenly(hosts, asked, counts);
	else if (asked)
		fill(hosts, counts, asked, counts);
	return STN_OK;
}

/* Returns the nodes of *host_p's cluster; *host_p becomes the next one's. */
static uint32_t
cluster_nodes(const struct stn_hosts *hosts, const uint32_t *counts,
	      uint32_t *host_p)
{
	uint32_t cluster = hosts->list[*host_p].cluster, nodes = 0;

	for (; *host_p < hosts->count; (*host_p)++) {
		if (hosts->list[*host_p].cluster != cluster)
			break;
		nodes += counts[*host_p];
	}
	return nodes;
}

enum stn_err
stn_hosts_sizes(const struct stn_hosts *hosts, const uint32_t *counts,
		char *text, size_t room, struct stn_why *why)
{
	uint32_t host = 0;
	size_t at = 0;

	for (uint32_t i = 0; i < hosts->cluster_count; i++) {
		uint32_t nodes = cluster_nodes(hosts, counts, &host);

		if (!nodes)
			return stn_because(why, STN_INVALID,
					   "no node is left for cluster "
					   "\"%.60s\"; raise -n",
					   hosts->clusters[i]);
		at += (size_t)snprintf(text + at, room - at, "%s%" PRIu32,
				       i ? "," : "", nodes);
		if (at >= room)
			return stn_because(why, STN_INVALID,
					   "%" PRIu32 " clusters are too many "
					   "for a file of hosts",
					   hosts->cluster_count);
	}
	return STN_OK;
}
