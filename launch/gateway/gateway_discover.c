/*
 * gateway_discover.c: a firewall may let connections through in one direction
 * only, so each gateway connects to each other. gateway_trunk.c decides which
 * connection becomes the trunk.
 */
#include <stdlib.h>
#include <string.h>

#include "launch/gateway/gateway_private.h"

#define LOOK_NS (STN_SECOND_NS / 4)
#define CONNECT_AGAIN_NS (STN_SECOND_NS / 5)
/* Addresses in the message about an unreachable gateway. */
#define LISTED_MOST 3
#define LISTED_BYTES (LISTED_MOST * STN_HOST_PORT_BYTES + 8)
/* Most time for connecting to the others. */
#define CONNECT_MOST_NS (20 * STN_SECOND_NS)

/*
 * The run goes on already, and another cluster may join it: ours. Clusters
 * without an entry are lost.
 */
static void
take_running(struct gateway *gateway, const char *name,
	     const struct stn_meeting_entry *entry)
{
	struct late_cluster *late = &gateway->late;
	uint32_t clusters = gateway->options->clusters;
	struct cluster *cluster = &late->found[entry->number];

	if (entry->clusters != clusters) {
		gateway_fail(gateway,
			     "the run goes on already, and has begun with %u "
			     "clusters, not %u; give the same --clusters",
			     entry->clusters, clusters);
		return;
	}
	late->ours = late->joining = true;
	late->max_nodes = entry->max_nodes;
	late->max_clusters = entry->max_clusters;
	strcpy(cluster->name, name);
	cluster->entry = *entry;
	cluster->lost = cluster->dead = false;
}

/* Our place among the clusters is the last one, until the others tell it. */
static void
take_place(struct gateway *gateway)
{
	uint32_t clusters = gateway->late.max_clusters;
	struct cluster *place = &gateway->clusters[clusters - 1];

	if (*gateway->late.found[clusters - 1].name) {
		gateway_fail(gateway, "%s", GATEWAY_LATE_FULL);
		return;
	}
	memcpy(gateway->clusters, gateway->late.found,
	       clusters * sizeof(gateway->clusters[0]));
	*place = (struct cluster){ .entry = gateway->discovery.entry };
	strcpy(place->name, gateway->options->cluster);
	gateway->known = clusters;
}

/* The places of clusters that may join the run later. */
static void
add_places(struct gateway *gateway)
{
	while (gateway->late.max_nodes &&
	       gateway->known < gateway->late.max_clusters)
		gateway->clusters[gateway->known++] = (struct cluster){
			.lost = true, .dead = true, .arrived = true
		};
}

/* Takes the entry of a gateway at the meeting point. */
static void
take_entry(void *arg, const char *name, const char *text, size_t size)
{
	struct gateway *gateway = arg;
	uint32_t clusters = gateway->options->clusters;
	struct stn_meeting_entry entry;
	struct cluster *cluster;

	if (!stn_name_good(name) || stn_meeting_entry_read(text, size, &entry))
		return; /* not an entry of this run */
	if (stn_meeting_is_late(gateway->meeting) && entry.runs &&
	    entry.max_nodes) {
		take_running(gateway, name, &entry);
		return;
	}
	/* Others that wait to join the run, too, don't matter to this one. */
	if (stn_meeting_is_late(gateway->meeting) &&
	    strcmp(name, gateway->options->cluster))
		return;
	if (entry.max_nodes != gateway->options->max_nodes &&
	    !gateway->late.ours) {
		gateway_fail(gateway,
			     "cluster %s has %u --max-nodes, and this one %u; "
			     "give all the same",
			     name, entry.max_nodes,
			     gateway->options->max_nodes);
		return;
	}
	if (entry.max_clusters != gateway->options->max_clusters &&
	    !gateway->late.ours) {
		gateway_fail(gateway,
			     "cluster %s has %u --max-clusters, and this one "
			     "%u; give all the same",
			     name, entry.max_clusters,
			     gateway->options->max_clusters);
		return;
	}
	if (entry.clusters != clusters) {
		gateway_fail(
			gateway,
			"cluster %s expects %u clusters in this run, and this "
			"one expects %u; give all the same --clusters",
			name, entry.clusters, clusters);
		return;
	}
	if (gateway->known == clusters) {
		gateway_fail(gateway,
			     "more than %u clusters have come, also %s; raise "
			     "--clusters",
			     clusters, name);
		return;
	}
	cluster = &gateway->clusters[gateway->known++];
	memset(cluster, 0, sizeof(*cluster));
	strcpy(cluster->name, name);
	cluster->entry = entry;
}

static int
compare_clusters(const void *one, const void *other)
{
	return strcmp(((const struct cluster *)one)->name,
		      ((const struct cluster *)other)->name);
}

/* All clusters' entries are known: gives the clusters their numbers. */
static void
all_found(struct gateway *gateway)
{
	uint64_t now = gateway_now();
	struct pending *at;

	if (gateway->late.ours) {
		take_place(gateway);
	} else {
		qsort(gateway->clusters, gateway->known,
		      sizeof(gateway->clusters[0]), compare_clusters);
		add_places(gateway);
	}
	gateway->mine = (uint32_t)(gateway_find_cluster(
					   gateway, gateway->options->cluster) -
				   gateway->clusters);
	if (stn_switch_init(&gateway->hub, &gateway_switch_calls, gateway,
			    gateway->mine, gateway->known)) {
		gateway_fail(gateway, "out of memory");
		return;
	}
	gateway->discovery.give_up_ns =
		now + (gateway->options->wait_ns < CONNECT_MOST_NS
			       ? gateway->options->wait_ns
			       : CONNECT_MOST_NS);
	/* Some gateways may have connected and sent HELLO before. */
	LIST_FOREACH (at, &gateway->pending.all, link)
		/*
		 * A connection that becomes the trunk closes the others of its
		 * cluster, which then are dead here.
		 */
		if (!at->watch.dead &&
		    (at->state == PENDING_HELLO || at->state == PENDING_CHOICE))
			gateway_read_pending(gateway, at);
}

/*
 * The entry of an earlier run of this name may keep ours out for some seconds.
 */
static void
enter_meeting(struct gateway *gateway)
{
	if (stn_meeting_enter(gateway->meeting, &gateway->discovery.entry,
			      &gateway->discovery.entered,
			      &gateway->discovery.kept_out))
		gateway_fail(gateway, "%s", gateway->discovery.kept_out.text);
}

void
gateway_look(struct gateway *gateway)
{
	struct stn_why why = { "" };

	if (!gateway->discovery.entered)
		return;
	gateway->known = 0;
	for (uint32_t i = 0; i < STN_CLUSTERS_MOST; i++)
		gateway->late.found[i] =
			(struct cluster){ .lost = true, .dead = true };
	if (stn_meeting_poll(gateway->meeting, take_entry, gateway, &why))
		gateway_fail(gateway, "%s", why.text);
	else if (gateway->failure.declared)
		return;
	else if (gateway->late.ours)
		all_found(gateway);
	else if (!gateway_find_cluster(gateway, gateway->options->cluster))
		gateway_fail(gateway,
			     "another program removes this gateway's entry at "
			     "the Redis server; use another server");
	else if (gateway->known == gateway->options->clusters)
		all_found(gateway);
}

static void
fail_missing(struct gateway *gateway)
{
	if (!gateway->discovery.entered) {
		gateway_fail(gateway, "%s", gateway->discovery.kept_out.text);
		return;
	}
	gateway_fail(gateway,
		     "of %u clusters, %u have come within %llu s; start the "
		     "others with the same --run and --at, or raise --wait",
		     gateway->options->clusters, gateway->known,
		     (unsigned long long)(gateway->options->wait_ns /
					  STN_SECOND_NS));
}

/* Writes the first addresses of an entry, separated by spaces. */
static void
name_addresses(const struct stn_meeting_entry *entry, char text[LISTED_BYTES])
{
	char *at = text;
	size_t i;

	for (i = 0; i < entry->count && i < LISTED_MOST; i++) {
		if (i)
			*at++ = ' ';
		stn_host_port_write(at, &entry->addresses[i]);
		at += strlen(at);
	}
	if (i < entry->count)
		strcpy(at, " ...");
}

static const char *
advice(const struct cluster *cluster)
{
	if (strstr(cluster->last_failure.text, "secret"))
		return "give all the same --secret-file";
	return "open a port in the firewall of one of them (--ports), or give "
	       "an address that others can reach (--address)";
}

static void
fail_unreachable(struct gateway *gateway, const struct cluster *cluster)
{
	char addresses[LISTED_BYTES] = "";

	name_addresses(&cluster->entry, addresses);
	gateway_fail(gateway,
		     "no connection with cluster %s: can't connect to %s (%s), "
		     "and its gateway has not connected to port %u here; %s",
		     cluster->name, addresses,
		     *cluster->last_failure.text ? cluster->last_failure.text
						 : "no answer",
		     gateway->listeners.outside_port, advice(cluster));
}

/* Tries the next address of the cluster's gateway. */
static void
connect_next_address(struct gateway *gateway, struct cluster *cluster,
		     uint64_t now)
{
	const struct stn_meeting_entry *entry = &cluster->entry;

	cluster->calling = gateway_connect(
		gateway, cluster,
		&entry->addresses[cluster->next_address++ % entry->count]);
	cluster->connect_at_ns = now + CONNECT_AGAIN_NS;
}

static void
connect_all(struct gateway *gateway, uint64_t now)
{
	for (uint32_t i = 0; i < gateway->known; i++) {
		struct cluster *cluster = &gateway->clusters[i];

		if (i == gateway->mine || cluster->trunk || cluster->lost)
			continue;
		if (now > gateway->discovery.give_up_ns ||
		    (gateway->late.ours &&
		     strstr(cluster->last_failure.text, "secret"))) {
			fail_unreachable(gateway, cluster);
			return;
		}
		if (!cluster->calling && now > cluster->connect_at_ns)
			connect_next_address(gateway, cluster, now);
	}
}

void
gateway_discover(struct gateway *gateway, uint64_t now)
{
	bool all = gateway->known >= gateway->options->clusters;

	if (all)
		stn_meeting_renew(gateway->meeting);
	if (gateway->begun || gateway->failure.declared)
		return;
	if (all) {
		connect_all(gateway, now);
	} else if (now > gateway->discovery.give_up_ns) {
		fail_missing(gateway);
	} else if (now >= gateway->discovery.look_ns) {
		if (!gateway->discovery.entered)
			enter_meeting(gateway);
		gateway_look(gateway);
		gateway->discovery.look_ns = now + LOOK_NS;
	}
}
