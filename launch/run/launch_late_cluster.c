#include "launch/run/launch_late_cluster.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "launch/run/late_choice.h"
#include "launch/run/launch_late_private.h"
#include "transport/units.h"

/*
 * The ranks that nodes can get in the cluster. Those that were taken are not
 * used again, and no rank below the root's joins (see node/members.h).
 */
static uint32_t
free_ranks(const struct launch *launch, uint32_t cluster, uint32_t *first_p)
{
	uint32_t first, root = launch->sequencer.members.root;
	uint32_t count = stn_cluster_late(&launch->topology, cluster, &first);

	for (; count; count--, first++)
		if (late_node_at(launch, first)->state == LATE_ABSENT &&
		    first > root)
			break;
	*first_p = first;
	return count;
}

uint32_t
late_room(const struct launch *launch, uint32_t cluster)
{
	uint32_t room = 0, first;

	if (cluster != STN_NOBODY)
		return free_ranks(launch, cluster, &first);
	for (uint32_t i = 0; i < launch->topology.clusters; i++)
		room += free_ranks(launch, i, &first);
	return room;
}

/* The nodes of the cluster that live, or are about to join. */
static uint32_t
late_nodes(const struct launch *launch, uint32_t cluster)
{
	uint32_t nodes = launch->sequencer.members.in_cluster[cluster], first;
	uint32_t count = stn_cluster_late(&launch->topology, cluster, &first);

	for (uint32_t i = first; i < first + count; i++)
		nodes += late_node_at(launch, i)->state == LATE_STARTED;
	return nodes;
}

/* The best cluster for nodes of one host, or STN_NOBODY. */
static uint32_t
late_choose(const struct launch *launch, uint32_t wanted,
	    const uint64_t *round_trips_ns)
{
	uint32_t count = launch->topology.clusters, choice, first;
	struct stn_late_cluster *clusters = calloc(count, sizeof(clusters[0]));

	for (uint32_t i = 0; clusters && i < count; i++)
		clusters[i] = (struct stn_late_cluster){
			.room = free_ranks(launch, i, &first),
			.nodes = late_nodes(launch, i),
			.round_trip_ns = round_trips_ns ? round_trips_ns[i] : 0,
		};
	choice = clusters ? stn_late_choice(clusters, count, wanted)
			  : STN_NOBODY;
	free(clusters);
	return choice;
}

uint32_t
late_take(struct launch *launch, uint32_t cluster, uint32_t wanted,
	  const uint64_t *round_trips_ns, uint32_t *first_p)
{
	uint32_t room;

	if (cluster == STN_NOBODY)
		cluster = late_choose(launch, wanted, round_trips_ns);
	room = cluster == STN_NOBODY ? 0 : free_ranks(launch, cluster, first_p);
	if (wanted > room)
		wanted = room;
	for (uint32_t i = 0; i < wanted; i++) {
		struct late_node *node = late_node_at(launch, *first_p + i);

		node->state = LATE_STARTED;
		node->asked = true;
	}
	return wanted;
}

enum stn_err
late_cluster(const struct launch *launch, const char *name, uint32_t *cluster_p,
	     struct stn_why *why)
{
	const struct stn_hosts *hosts = &launch->hosts;
	uint32_t count = launch->topology.clusters;
	uint64_t number;

	for (uint32_t i = 0; i < hosts->cluster_count; i++)
		if (!strcmp(hosts->clusters[i], name)) {
			*cluster_p = i;
			return STN_OK;
		}
	if (hosts->cluster_count)
		return stn_because(why, STN_INVALID,
				   "the run has no cluster %.60s; the hosts' "
				   "file names its clusters",
				   name);
	if (count == 1)
		return stn_because(why, STN_INVALID,
				   "%.60s can't be the cluster of nodes in a "
				   "run without clusters",
				   name);
	if (stn_parse_count(name, 0, count - 1, &number))
		return stn_because(why, STN_INVALID,
				   "the run has no cluster %.60s; its clusters "
				   "are 0 to %" PRIu32,
				   name, count - 1);
	*cluster_p = (uint32_t)number;
	return STN_OK;
}

/* The nodes of the request that have joined the cluster. */
static uint32_t
late_joined(const struct launch *launch, uint32_t cluster)
{
	uint32_t first, joined = 0;
	uint32_t count = stn_cluster_late(&launch->topology, cluster, &first);

	for (uint32_t i = 0; i < count; i++) {
		const struct late_node *node = late_node_at(launch, first + i);

		joined += node->asked && node->state == LATE_JOINED;
	}
	return joined;
}

void
late_describe(const struct launch *launch, char *text, size_t room)
{
	const struct stn_hosts *hosts = &launch->hosts;
	uint32_t count = launch->topology.clusters;
	size_t at = 0;

	*text = '\0';
	for (uint32_t i = 0; count > 1 && i < count && at < room; i++) {
		uint32_t joined = late_joined(launch, i);
		char number[16];

		if (!joined)
			continue;
		snprintf(number, sizeof(number), "%" PRIu32, i);
		at += (size_t)snprintf(
			text + at, room - at, "%s%" PRIu32 " in cluster %.60s",
			at ? ", " : ": ", joined,
			hosts->cluster_count ? hosts->clusters[i] : number);
	}
}
