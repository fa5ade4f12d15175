#include "launch/gateway/gateway_membership.h"

#include <stdlib.h>
#include <string.h>

#include "launch/gateway/gateway_private.h"

static struct cluster *
own_cluster(struct gateway *gateway)
{
	return &gateway->clusters[gateway->mine];
}

static bool
hosts_sequencer(const struct gateway *gateway)
{
	return gateway->membership.host == gateway->mine;
}

/* The sequencer sends a view, which all gateways know. */
static void
pass_view(void *arg, uint32_t root, const struct stn_change *changes,
	  uint32_t count)
{
	struct gateway *gateway = arg;
	uint32_t cluster = stn_cluster_of(&gateway->membership.topology, root);

	if (cluster == gateway->mine)
		gateway->membership.calls->give(gateway, root, changes, count);
	else
		gateway_tell_gateway(gateway, cluster, STN_TRUNK_GIVE, NULL, 0);
}

/* Suspicions go to the gateway of the suspect, not to the sequencer. */
static void
fence_nothing(void *arg, uint32_t rank)
{
	(void)arg;
	(void)rank;
}

static bool
make_topology(const struct gateway *gateway, struct stn_topology *topology)
{
	const uint32_t *first = gateway->hub.first;
	uint32_t clusters = gateway->known;
	uint32_t reserved = first[gateway->options->clusters];

	*topology = (struct stn_topology){
		.nodes = first[clusters],
		.clusters = clusters,
		.first = calloc(clusters + 1, sizeof(topology->first[0])),
	};
	for (uint32_t i = 0; topology->first && i <= clusters; i++)
		topology->first[i] = first[i];
	return topology->first &&
	       (!gateway->late.max_nodes ||
		!stn_topology_reserve(topology, reserved,
				      first[clusters] - reserved));
}

void
gateway_membership_open(struct gateway *gateway)
{
	struct membership *membership = &gateway->membership;
	const struct stn_sequencer_host host = { pass_view, fence_nothing,
						 gateway };

	if (!make_topology(gateway, &membership->topology) ||
	    stn_sequencer_init(&membership->sequencer, &membership->topology,
			       host)) {
		gateway_fail(gateway, "out of memory");
		return;
	}
	membership->ready = true;
	if (gateway_reports_init(&membership->reports,
				 membership->topology.nodes))
		gateway_fail(gateway, "out of memory");
}

void
gateway_membership_close(struct gateway *gateway)
{
	struct membership *membership = &gateway->membership;

	if (membership->ready)
		stn_sequencer_fini(&membership->sequencer);
	stn_topology_fini(&membership->topology);
	gateway_reports_fini(&membership->reports);
	gateway_close_claim(gateway);
	for (uint32_t i = 0; i < gateway->known; i++)
		stn_bytes_fini(&gateway->clusters[i].part);
}

/* A gateway may hear of a death before it knows that all nodes read views. */
static void
begin_if_all_watch(struct gateway *gateway)
{
	for (uint32_t i = 0; i < gateway->known; i++)
		if (!gateway->clusters[i].watches && !gateway->clusters[i].dead)
			return;
	gateway->membership.begun = true;
}

void
gateway_membership_watched(struct gateway *gateway)
{
	if (++gateway->membership.watching < gateway->members.size)
		return;
	if (gateway->late.joining) {
		gateway->membership.calls->ready(gateway);
		return;
	}
	own_cluster(gateway)->watches = true;
	gateway_tell_gateways(gateway, STN_TRUNK_WATCHES, NULL, 0);
	begin_if_all_watch(gateway);
}

void
gateway_membership_suspect(struct gateway *gateway, uint32_t rank)
{
	struct membership *membership = &gateway->membership;
	uint32_t cluster = stn_cluster_of(&membership->topology, rank);

	if (cluster == gateway->mine)
		membership->calls->fence(gateway, rank);
	else
		gateway_tell_number(gateway, cluster, STN_TRUNK_SUSPECT, rank);
}

void
gateway_lose_cluster(struct gateway *gateway, uint32_t index, const char *how)
{
	struct cluster *cluster = &gateway->clusters[index];

	if (gateway->over || gateway->failure.declared || cluster->lost)
		return;
	/*
	 * A gateway whose nodes are all at the barrier may leave before the
	 * others know that all are. If the run survives deaths, it says OVER
	 * before.
	 */
	if (!gateway->membership.begun) {
		if (!cluster->arrived)
			gateway_fail(gateway, "the gateway of cluster %s %s",
				     cluster->name, how);
		return;
	}
	cluster->lost = true;
	cluster->lost_how = how;
	cluster->cut_told = STN_NOBODY;
}

static bool
is_rank_of(const struct gateway *gateway, uint32_t rank, uint32_t cluster)
{
	return rank >= gateway->hub.first[cluster] &&
	       rank < gateway->hub.first[cluster + 1];
}

/* Has the last node of a cluster left, rather than died? */
static bool
has_left(const struct gateway *gateway, uint32_t index)
{
	const struct stn_sequencer *sequencer = &gateway->membership.sequencer;

	if (sequencer->members.in_cluster[index])
		return false;
	for (uint32_t i = sequencer->count; i-- > 0;)
		if (is_rank_of(gateway, sequencer->changes[i].rank, index))
			return sequencer->changes[i].what == STN_LEFT;
	return false;
}

/* A view says that no node of a cluster lives. */
static void
note_dead_cluster(struct gateway *gateway, uint32_t index)
{
	struct cluster *cluster = &gateway->clusters[index];

	if (index == gateway->mine && gateway->membership.parting) {
		gateway->membership.parted = true;
		return;
	}
	if (index == gateway->mine) {
		gateway_end_part(gateway, "the run goes on without this "
					  "cluster, because another gateway "
					  "has lost it");
		return;
	}
	if (!cluster->lost)
		gateway_lose_cluster(gateway, index, "has ended, or is lost");
	cluster->dead = true;
	if (has_left(gateway, index))
		gateway_say(gateway, "cluster %s has left the run",
			    cluster->name);
	else
		gateway_say(gateway,
			    "the gateway of cluster %s %s; the run goes on "
			    "without its nodes",
			    cluster->name, cluster->lost_how);
	gateway->membership.calls->fewer(gateway);
}

void
gateway_count_as_dead(struct gateway *gateway, uint32_t index)
{
	for (uint32_t i = gateway->hub.first[index];
	     i < gateway->hub.first[index + 1]; i++)
		gateway_report_note(gateway, STN_TRUNK_GONE, i);
	note_dead_cluster(gateway, index);
}

/* The host has sent a view: it replaces the one that was known. */
static enum stn_err
adopt_view(struct gateway *gateway, uint32_t from,
	   const struct stn_change *changes, uint32_t count)
{
	struct membership *membership = &gateway->membership;
	const struct stn_members *members = &membership->sequencer.members;

	if (!stn_changes_valid(changes, count, membership->topology.nodes))
		return STN_MALFORMED;
	if (hosts_sequencer(gateway))
		return STN_OK; /* can't be: its sender has lost us */
	if (stn_sequencer_resume(&membership->sequencer, changes, count)) {
		gateway_fail(gateway, "out of memory");
		return STN_OK;
	}
	gateway_late_joined(gateway);
	for (uint32_t i = 0; i < gateway->known; i++)
		if (!members->in_cluster[i] && !gateway->clusters[i].dead)
			note_dead_cluster(gateway, i);
	gateway_tell_number(gateway, from, STN_TRUNK_KNOWN, count);
	return STN_OK;
}

static enum stn_err
collect_view(struct gateway *gateway, uint32_t from,
	     const struct stn_segment *segment, const unsigned char *data)
{
	struct stn_bytes *part = &gateway->clusters[from].part;
	size_t nodes = gateway->membership.topology.nodes;
	size_t most = STN_CHANGES_MOST(nodes) * sizeof(struct stn_change);
	enum stn_err err = STN_MALFORMED;
	struct stn_change *changes;
	size_t bytes;

	if (stn_bytes_count(part) + segment->bytes > most)
		return STN_MALFORMED;
	if (!stn_bytes_add(part, data, segment->bytes)) {
		gateway_fail(gateway, "out of memory");
		return STN_OK;
	}
	if (segment->flags & STN_SEGMENT_MORE)
		return STN_OK;
	bytes = stn_bytes_count(part);
	changes = malloc(bytes + 1); /* aligned, as the part may not be */
	if (changes && bytes && !(bytes % sizeof(changes[0]))) {
		memcpy(changes, stn_bytes_front(part), bytes);
		err = adopt_view(gateway, from, changes,
				 (uint32_t)(bytes / sizeof(changes[0])));
	}
	free(changes);
	stn_bytes_fini(part);
	return err;
}

static void
give_root(struct gateway *gateway)
{
	const struct stn_sequencer *sequencer = &gateway->membership.sequencer;
	uint32_t root = sequencer->members.root;

	if (sequencer->count && is_rank_of(gateway, root, gateway->mine))
		gateway->membership.calls->give(
			gateway, root, sequencer->changes, sequencer->count);
}

static void
all_arrived(struct gateway *gateway)
{
	for (uint32_t i = 0; i < gateway->known; i++)
		gateway->clusters[i].arrived = true;
	gateway->membership.over = true;
	gateway->membership.calls->fewer(gateway);
}

/* Segments whose data is a number. */
static enum stn_err
take_number(struct gateway *gateway, uint32_t from, enum stn_trunk_type type,
	    uint32_t number)
{
	struct membership *membership = &gateway->membership;

	if (type == STN_TRUNK_KNOWN) {
		gateway->clusters[from].view = number;
		return STN_OK;
	}
	if (type == STN_TRUNK_CUT) {
		if (number >= gateway->known || number == gateway->mine)
			return STN_MALFORMED;
		if (hosts_sequencer(gateway))
			gateway_lose_cluster(gateway, number,
					     "can't be reached any more");
		return STN_OK;
	}
	if (number >= membership->topology.nodes ||
	    !is_rank_of(gateway, number,
			type == STN_TRUNK_SUSPECT ? gateway->mine : from))
		return STN_MALFORMED;
	if (type == STN_TRUNK_SUSPECT)
		membership->calls->fence(gateway, number);
	else
		gateway_report_note(gateway, type, number);
	return STN_OK;
}

enum stn_err
gateway_membership_take(struct gateway *gateway, uint32_t cluster,
			const struct stn_segment *segment,
			const unsigned char *data)
{
	uint32_t number;

	if (!gateway->membership.ready || segment->type < STN_TRUNK_WATCHES)
		return STN_MISSING;
	switch (segment->type) {
	case STN_TRUNK_WATCHES:
		gateway->clusters[cluster].watches = true;
		begin_if_all_watch(gateway);
		return STN_OK;
	case STN_TRUNK_VIEW:
		return collect_view(gateway, cluster, segment, data);
	case STN_TRUNK_GIVE:
		give_root(gateway);
		return STN_OK;
	case STN_TRUNK_OVER:
		all_arrived(gateway);
		return STN_OK;
	case STN_TRUNK_SUSPECT:
	case STN_TRUNK_GONE:
	case STN_TRUNK_LEAVING:
	case STN_TRUNK_LEFT:
	case STN_TRUNK_CUT:
	case STN_TRUNK_KNOWN:
		if (stn_trunk_number_read(data, segment->bytes, &number))
			return take_number(gateway, cluster, segment->type,
					   number);
	}
	return STN_MALFORMED;
}

void
gateway_cut_trunks(struct gateway *gateway, bool all)
{
	for (uint32_t i = 0; i < gateway->known; i++) {
		struct connection *trunk = gateway->clusters[i].trunk;

		if (!trunk || (!all && !gateway->clusters[i].lost) ||
		    gateway->clusters[i].joining)
			continue;
		gateway->clusters[i].trunk = NULL;
		stn_switch_remove(&gateway->hub, &trunk->port);
		gateway_drop_connection(gateway, trunk);
	}
}

/* This gateway hosts the sequencer from now on. */
static void
become_host(struct gateway *gateway)
{
	struct membership *membership = &gateway->membership;
	struct stn_sequencer *sequencer = &membership->sequencer;

	membership->reports.news = true;
	membership->spread = 0;
	for (uint32_t i = 0; i < gateway->known; i++)
		gateway->clusters[i].view = 0;
	if (stn_sequencer_resume(sequencer, sequencer->changes,
				 sequencer->count))
		gateway_fail(gateway, "out of memory");
}

static void
elect_host(struct gateway *gateway)
{
	uint32_t host = 0;

	while (gateway->clusters[host].lost)
		host++;
	if (host == gateway->membership.host)
		return;
	gateway->membership.host = host;
	if (hosts_sequencer(gateway))
		become_host(gateway);
	else
		gateway_reports_tell(gateway);
}

/* The host decides which of two gateways that lost each other goes on. */
static void
tell_cuts(struct gateway *gateway)
{
	uint32_t host = gateway->membership.host;

	for (uint32_t i = 0; i < gateway->known; i++) {
		struct cluster *cluster = &gateway->clusters[i];

		if (!cluster->lost || cluster->dead ||
		    cluster->cut_told == host)
			continue;
		gateway_tell_number(gateway, host, STN_TRUNK_CUT, i);
		cluster->cut_told = host;
	}
}

/* Do the gateways that are not lost know the newest view? */
static bool
all_know_view(const struct gateway *gateway)
{
	const struct membership *membership = &gateway->membership;

	for (uint32_t i = 0; i < gateway->known; i++)
		if (i != gateway->mine && !gateway->clusters[i].lost &&
		    gateway->clusters[i].view != membership->sequencer.count)
			return false;
	return true;
}

/* Spreads the newest view; when all gateways know it, sends it to the root. */
static void
issue_view(struct gateway *gateway)
{
	struct membership *membership = &gateway->membership;
	struct stn_sequencer *sequencer = &membership->sequencer;

	if (membership->spread != sequencer->count)
		gateway_tell_gateways(
			gateway, STN_TRUNK_VIEW, sequencer->changes,
			sequencer->count * sizeof(sequencer->changes[0]));
	membership->spread = sequencer->count;
	if (!all_know_view(gateway))
		return;
	membership->parted = membership->parting;
	if (sequencer->count)
		stn_sequencer_issue(sequencer);
}

/* The host of the sequencer finds clusters whose nodes have all left. */
static void
note_parted(struct gateway *gateway)
{
	for (uint32_t i = 0; i < gateway->known; i++)
		if (i != gateway->mine && !gateway->clusters[i].dead &&
		    has_left(gateway, i))
			note_dead_cluster(gateway, i);
}

void
gateway_membership_attend(struct gateway *gateway, uint64_t now)
{
	struct membership *membership = &gateway->membership;

	if (!membership->begun || gateway->over || gateway->failure.declared)
		return;
	gateway_cut_trunks(gateway, false);
	/* It makes no claims any more, so others must find out. */
	if (membership->parting && gateway->clusters[membership->host].lost &&
	    !gateway->clusters[membership->host].dead)
		membership->parted = true;
	if (membership->parted)
		return;
	elect_host(gateway);
	if (!hosts_sequencer(gateway)) {
		tell_cuts(gateway);
		return;
	}
	if (!membership->parting)
		gateway_attend_claim(gateway, now);
	if (gateway->over || gateway->failure.declared)
		return;
	if (membership->reports.news)
		gateway_reports_order(gateway);
	issue_view(gateway);
	note_parted(gateway);
}

bool
gateway_is_first(const struct gateway *gateway)
{
	const struct membership *membership = &gateway->membership;
	uint32_t root =
		membership->ready ? membership->sequencer.members.root : 0;

	return !membership->begun || root == STN_NOBODY
		       ? !gateway->mine
		       : is_rank_of(gateway, root, gateway->mine);
}
