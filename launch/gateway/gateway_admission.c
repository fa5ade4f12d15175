/*
 * gateway_admission.c: nodes, and their launcher, introduce themselves by a
 * handshake. A node's control connection makes it a member; when all members of
 * all clusters have come, they get the layout of the run.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "launch/gateway/gateway_private.h"
#include "transport/far/uplink.h"

#define NODES_MOST 100000

static void
put_answer(struct stn_stream *stream, bool refused, const void *body,
	   size_t size)
{
	struct stn_handshake_answer answer = { refused, (uint32_t)size };
	unsigned char bytes[STN_HANDSHAKE_ANSWER_BYTES];

	stn_handshake_answer_write(bytes, &answer);
	stn_stream_put(stream, bytes, sizeof(bytes));
	stn_stream_put(stream, body, size);
}

static void
refuse_pending(struct gateway *gateway, struct pending *pending,
	       const char *why)
{
	if (stn_stream_init(&pending->stream, pending->fd, NULL, NULL)) {
		put_answer(&pending->stream, true, why, strlen(why));
		stn_stream_flush(&pending->stream);
	}
	gateway_close_pending(gateway, pending, why);
}

/* A node opens a connection for segments. */
static void
member_open_segments(struct gateway *gateway, struct pending *pending,
		     const struct stn_handshake *handshake)
{
	struct stn_port port = { .cluster = handshake->count,
				 .rank = handshake->rank };
	struct connection *connection;

	if (!gateway->members.layout_known ||
	    handshake->count >= gateway->known) {
		refuse_pending(gateway, pending,
			       "this run has no such cluster");
		return;
	}
	connection = gateway_establish(gateway, pending, port);
	if (!connection)
		return;
	if (stn_switch_add(&gateway->hub, &connection->port)) {
		stn_stream_fini(&connection->port.stream);
		gateway_free_later(&gateway->loop, &connection->watch);
		gateway_fail(gateway, "two processes claim to be node %" PRIu32,
			     handshake->rank);
		return;
	}
	put_answer(&connection->port.stream, false, NULL, 0);
	stn_switch_ready(&gateway->hub, &connection->port, EPOLLOUT);
}

/*
 * The first handshake tells the number of nodes, which all others must confirm.
 */
static bool
member_admit(struct gateway *gateway, const struct stn_handshake *handshake)
{
	if (!gateway->members.size && handshake->count <= NODES_MOST) {
		gateway->members.by_rank = calloc(
			handshake->count, sizeof(gateway->members.by_rank[0]));
		if (gateway->members.by_rank &&
		    !stn_wireup_server_init(&gateway->members.server,
					    handshake->count,
					    gateway_take_server_frame, gateway))
			gateway->members.size = handshake->count;
	}
	return gateway->members.size &&
	       handshake->count == gateway->members.size &&
	       !gateway->members.by_rank[handshake->rank] &&
	       !gateway->members.layout_known;
}

static struct member *
member_create(struct gateway *gateway, struct pending *pending, uint32_t rank)
{
	struct member *member = calloc(1, sizeof(*member));

	if (!member ||
	    !gateway_take_stream(gateway, pending, &member->stream)) {
		gateway_fail(gateway, "out of memory");
		free(member);
		return NULL;
	}
	member->rank = rank;
	member->watch.ready = gateway_member_ready;
	return member;
}

/* A node opens its control connection. */
static void
member_join(struct gateway *gateway, struct pending *pending,
	    const struct stn_handshake *handshake)
{
	struct member *member;

	if (!member_admit(gateway, handshake)) {
		refuse_pending(gateway, pending,
			       "this node has joined already, or expects "
			       "another number of nodes; let `sateen join` "
			       "start only one launcher");
		return;
	}
	member = member_create(gateway, pending, handshake->rank);
	if (!member)
		return;
	gateway->members.by_rank[handshake->rank] = member;
	gateway->members.present++;
	gateway_member_watch(gateway, member);
	gateway_tell_layout(gateway);
}

/* One launcher, before its nodes. */
static void
launcher_join(struct gateway *gateway, struct pending *pending)
{
	if (gateway->nodes.launcher || gateway->members.present)
		refuse_pending(gateway, pending,
			       "this cluster has nodes already; let `sateen "
			       "join` start only one launcher");
	else
		gateway_nodes_launch(gateway, pending);
}

void
gateway_take_handshake(struct gateway *gateway, struct pending *pending,
		       const struct stn_handshake *handshake)
{
	/* Nodes and their launcher always read their control connections. */
	if (handshake->what_for != STN_HANDSHAKE_SEGMENTS)
		stn_keepalive_set(pending->fd, gateway->options->silence_ns,
				  true);
	if (!gateway->begun)
		refuse_pending(gateway, pending, "the run has not begun");
	else if (handshake->what_for == STN_HANDSHAKE_CONTROL)
		member_join(gateway, pending, handshake);
	else if (handshake->what_for == STN_HANDSHAKE_LAUNCHER)
		launcher_join(gateway, pending);
	else
		member_open_segments(gateway, pending, handshake);
}

static void
member_send_layouts(struct gateway *gateway, const struct stn_layout *layout)
{
	unsigned char bytes[STN_LAYOUT_BYTES];
	size_t size = stn_layout_write(bytes, layout);

	for (uint32_t i = 0; i < gateway->members.size; i++) {
		struct member *member = gateway->members.by_rank[i];

		if (!member)
			continue;
		put_answer(&member->stream, false, bytes, size);
		gateway_member_watch(gateway, member);
	}
}

/* Complains that --max-nodes leaves too little room. */
static bool
refuse_size(struct gateway *gateway, uint32_t first, uint32_t ours)
{
	gateway_fail(gateway,
		     "--max-nodes is %" PRIu32 ", and the first clusters have "
		     "%" PRIu32 " nodes, so there is no room for %" PRIu32
		     " more%s",
		     gateway->late.max_nodes, first, ours,
		     gateway->known > gateway->options->clusters + 1
			     ? ", because several clusters share it"
			     : "");
	return false;
}

/*
 * The ranks of the clusters that may join later, which share the reserved ones
 * as evenly as possible. @layout has the first clusters.
 */
static bool
reserve_clusters(struct gateway *gateway, struct stn_layout *layout)
{
	uint32_t clusters = layout->clusters, first = layout->first[clusters];
	uint32_t places = gateway->known - clusters;
	uint32_t ours = gateway->late.ours ? gateway->members.size : 0;
	uint32_t room = gateway->late.max_nodes > first
				? gateway->late.max_nodes - first
				: 0;

	layout->reserved = layout->nodes = first;
	if (!places)
		return true;
	if (room < places)
		return refuse_size(gateway, first, places);
	for (uint32_t i = 0; i < places; i++)
		layout->first[clusters + i + 1] = layout->first[clusters + i] +
						  room / places +
						  (i < room % places);
	layout->clusters = gateway->known;
	layout->nodes += ours;
	if (layout->first[gateway->mine + 1] - layout->first[gateway->mine] <
	    ours)
		return refuse_size(gateway, first, ours);
	return true;
}

static bool
member_make_layout(struct gateway *gateway, struct stn_layout *layout)
{
	uint32_t clusters = gateway->options->clusters;

	if (gateway->late.ours && !gateway->late.welcome)
		return false; /* our place is not known yet */
	memset(layout, 0, sizeof(*layout));
	layout->mine = gateway->mine;
	layout->clusters = clusters;
	for (uint32_t i = 0; i < clusters; i++) {
		if (!gateway->clusters[i].size)
			return false;
		layout->first[i + 1] =
			layout->first[i] + gateway->clusters[i].size;
	}
	return reserve_clusters(gateway, layout);
}

void
gateway_tell_layout(struct gateway *gateway)
{
	struct cluster *cluster = &gateway->clusters[gateway->mine];
	unsigned char size[4];
	struct stn_layout layout;

	if (gateway->members.layout_known || !gateway->members.size ||
	    gateway->members.present < gateway->members.size)
		return;
	if (!cluster->size) {
		cluster->size = gateway->members.size;
		stn_trunk_size_write(size, gateway->members.size);
		if (!gateway->late.ours)
			gateway_tell_gateways(gateway, STN_TRUNK_SIZE, size,
					      sizeof(size));
	}
	if (!member_make_layout(gateway, &layout))
		return;
	if (stn_switch_set_layout(&gateway->hub, layout.first)) {
		gateway_fail(gateway, "out of memory");
		return;
	}
	gateway->members.layout_known = true;
	gateway_membership_open(gateway);
	gateway_nodes_open(gateway);
	member_send_layouts(gateway, &layout);
}
