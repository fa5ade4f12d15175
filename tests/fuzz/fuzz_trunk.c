/*
 * fuzz_trunk.c: arbitrary bytes that another gateway sends leave a gateway in a
 * state that is possible: its tables keep to the numbers of clusters and nodes,
 * the bytes that it collects have a limit, and it passes on valid views only.
 *
 * Input: the situation (8 bits), then the bytes of the trunk. A run of two
 * clusters of two nodes has two places for clusters that come late.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "launch/gateway/gateway_private.h"
#include "launch/gateway/meeting_private.h"
#include "tests/fuzz/fuzz.h"

#define FIRST 2	   /* clusters */
#define CLUSTERS 4 /* with those that come late */
#define NODES 2	   /* of each cluster */

/* The gateway is of cluster @mine, its trunk leads to @other. */
static const struct situation {
	uint32_t mine, other;
	bool begun;   /* the sizes of both clusters are known */
	bool late;    /* other clusters may join the run */
	bool joins;   /* the other cluster joins it */
	bool joining; /* our cluster does */
} situations[] = {
	{ .mine = 0, .other = 1 },
	{ .mine = 1, .other = 0, .begun = true },
	{ .mine = 0, .other = 1, .begun = true, .late = true },
	{ .mine = 1, .other = 0, .begun = true, .late = true },
	{ .mine = 0, .other = 2, .begun = true, .late = true, .joins = true },
	{ .mine = 2, .other = 0, .late = true, .joining = true },
};

#define SITUATIONS (sizeof(situations) / sizeof(situations[0]))

static struct gateway gateway;
static struct cluster clusters[CLUSTERS];
static int end; /* of the trunk: the other gateway's */

static void
ignore_failure(struct gateway *failed, const char *reason)
{
	require(failed == &gateway && reason);
}

static void
check_view(struct gateway *giver, uint32_t root,
	   const struct stn_change *changes, uint32_t count)
{
	const struct stn_topology *topology = &giver->membership.topology;

	require(stn_cluster_of(topology, root) == giver->mine);
	require(stn_changes_valid(changes, count, topology->nodes));
}

static const struct membership_calls membership_calls = {
	.give = check_view,
	.fence = gateway_nodes_fence,
	.fewer = gateway_release,
	.ready = gateway_late_ready,
};

static void
open_trunk(uint32_t cluster)
{
	struct connection *trunk = calloc(1, sizeof(*trunk));
	int pair[2];

	require(trunk &&
		!socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
			    0, pair));
	end = pair[1];
	trunk->port.cluster = cluster;
	trunk->port.trunk = true;
	require(stn_stream_init(&trunk->port.stream, pair[0], NULL, NULL));
	require(!stn_switch_add(&gateway.hub, &trunk->port));
	clusters[cluster].trunk = trunk;
}

static void
make_clusters(const struct situation *situation)
{
	memset(clusters, 0, sizeof(clusters));
	for (uint32_t i = 0; i < CLUSTERS; i++) {
		clusters[i].name[0] = (char)('a' + i);
		if (i < FIRST && situation->begun)
			clusters[i].size = NODES;
		if (i >= FIRST && i != situation->mine)
			clusters[i].lost = clusters[i].dead = true;
	}
	clusters[situation->other].joining = situation->joins;
}

static void
open_members(void)
{
	struct members *members = &gateway.members;

	members->by_rank = calloc(NODES, sizeof(members->by_rank[0]));
	require(members->by_rank &&
		!stn_wireup_server_init(&members->server, NODES,
					gateway_take_server_frame, &gateway));
	members->size = members->present = NODES;
}

static void
open_gateway(const struct situation *situation)
{
	static struct stn_meeting meeting;
	static const struct stn_gateway_options options = { .run = "run",
							    .cluster = "own",
							    .clusters = FIRST };
	struct stn_why why;

	make_clusters(situation);
	gateway = (struct gateway){
		.options = &options,
		.failure.declared_call = ignore_failure,
		.membership.calls = &membership_calls,
		.late = { .next = FIRST,
			  .max_nodes = situation->late ? CLUSTERS * NODES : 0,
			  .max_clusters = situation->late ? CLUSTERS : 0,
			  .ours = situation->joining,
			  .joining = situation->joining },
		.meeting = &meeting,
		.clusters = clusters,
		.known = situation->late ? CLUSTERS : FIRST,
		.mine = situation->mine,
		.begun = true,
	};
	stn_output_drop(&gateway.said.waiting); /* it prints nothing */
	require(!gateway_loop_init(&gateway.loop, &gateway, &why));
	require(!stn_switch_init(&gateway.hub, &gateway_switch_calls, &gateway,
				 gateway.mine, gateway.known));
	open_members();
	open_trunk(situation->other);
	gateway_tell_layout(&gateway);
	require(gateway.members.layout_known == situation->begun);
	gateway.membership.begun = situation->begun;
}

static void
close_gateway(uint32_t other)
{
	struct connection *trunk = clusters[other].trunk;

	if (trunk) {
		stn_switch_remove(&gateway.hub, &trunk->port);
		gateway_drop_connection(&gateway, trunk);
	}
	gateway_nodes_close(&gateway);
	gateway_fini_members(&gateway);
	gateway_membership_close(&gateway);
	gateway_late_fini(&gateway);
	stn_switch_fini(&gateway.hub);
	gateway_loop_fini(&gateway.loop);
	for (uint32_t i = 0; i < CLUSTERS; i++) {
		stn_bytes_fini(&clusters[i].cards.bytes);
		stn_bytes_fini(&clusters[i].next.bytes);
	}
	close(end);
}

/* The bytes come; the trunk may be lost meanwhile. */
static void
receive(uint32_t other, const uint8_t *data, size_t size)
{
	while (size && clusters[other].trunk) {
		ssize_t sent = send(end, data, size, MSG_NOSIGNAL);

		require(sent > 0);
		stn_switch_ready(&gateway.hub, &clusters[other].trunk->port,
				 EPOLLIN);
		data += sent;
		size -= (size_t)sent;
	}
}

static void
check_cluster(const struct cluster *cluster)
{
	size_t card = STN_CARD_BYTES + 4;
	size_t nodes = gateway.membership.topology.nodes;

	require(stn_bytes_count(&cluster->part) <=
		STN_CHANGES_MOST(nodes) * sizeof(struct stn_change));
	if (cluster == &clusters[gateway.mine])
		return;
	require(stn_bytes_count(&cluster->cards.bytes) <= cluster->size * card);
	require(stn_bytes_count(&cluster->next.bytes) <= cluster->size * card);
}

static void
check_membership(const struct membership *membership)
{
	const struct stn_sequencer *sequencer = &membership->sequencer;
	uint32_t nodes = membership->topology.nodes;

	require(gateway.hub.first[gateway.known] == nodes);
	require(membership->host < gateway.known);
	require(sequencer->members.root < nodes ||
		sequencer->members.root == STN_NOBODY);
	require(!sequencer->count ||
		stn_changes_valid(sequencer->changes, sequencer->count, nodes));
	/* The host lets no node join but those of the cluster that joins. */
	for (uint32_t i = gateway.late.next; i < gateway.known; i++)
		require(membership->host != gateway.mine ||
			!sequencer->members.in_cluster[i]);
}

static void
check_gateway(void)
{
	const uint32_t *first = gateway.hub.first;

	require(gateway.mine < gateway.known);
	require(gateway.late.next <= gateway.known);
	require(gateway.late.dealt <= gateway.late.round_count);
	require(!gateway.late.asked ||
		stn_bytes_count(&gateway.late.peers) >= 8);
	for (uint32_t i = 0; i < gateway.known; i++) {
		require(!gateway.members.layout_known ||
			first[i] < first[i + 1]);
		check_cluster(&clusters[i]);
	}
	if (gateway.membership.ready)
		check_membership(&gateway.membership);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct situation *situation;

	if (!size)
		return 0;
	situation = &situations[data[0] % SITUATIONS];
	open_gateway(situation);
	receive(situation->other, data + 1, size - 1);
	check_gateway();
	if (gateway.membership.ready && gateway.membership.reports.news)
		gateway_reports_order(&gateway);
	gateway_late_attend(&gateway);
	check_gateway();
	close_gateway(situation->other);
	return 0;
}
