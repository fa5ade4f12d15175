/*
 * gateway_members.c: the members are the cluster's own nodes. The gateway
 * speaks to them as a launcher does (wireup_frame.h), but deals the cards of
 * all clusters' nodes.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "launch/gateway/gateway_private.h"

void
gateway_member_watch(struct gateway *gateway, struct member *member)
{
	uint32_t events = EPOLLIN;

	stn_stream_flush(&member->stream);
	if (member->progress.broadcast && !stn_stream_unsent(&member->stream))
		gateway_broadcast_send(&member->progress, member->stream.fd);
	if (member->progress.broadcast || stn_stream_unsent(&member->stream))
		events |= EPOLLOUT;
	if (member->stream.fd >= 0)
		gateway_rewatch(&gateway->loop, &member->watch,
				member->stream.fd, events);
}

/*
 * Returns the rank in the run once the layout is known, before that the rank in
 * the cluster.
 */
static uint32_t
member_rank_of(const struct gateway *gateway, const struct member *member)
{
	return member->rank + (gateway->members.layout_known
				       ? gateway->hub.first[gateway->mine]
				       : 0);
}

/*
 * A broadcast is under way: what the member has not got yet moves to its own
 * stream, so that the next frame can follow. The copy is rare: a member has to
 * read slowly while another cluster's nodes join, as it answers other broadcasts
 * before the next frame.
 */
static void
move_broadcast(struct member *member)
{
	struct broadcast_progress *progress = &member->progress;

	if (!progress->broadcast)
		return;
	stn_stream_put(&member->stream,
		       progress->broadcast->bytes + progress->sent,
		       progress->broadcast->size - progress->sent);
	gateway_broadcast_drop(progress->broadcast);
	progress->broadcast = NULL;
}

static void
give_broadcast(struct gateway *gateway, struct member *member,
	       struct broadcast *broadcast)
{
	move_broadcast(member);
	gateway_broadcast_begin(&member->progress, broadcast);
	gateway_member_watch(gateway, member);
}

static void
spread_broadcast(struct gateway *gateway, struct broadcast *broadcast)
{
	for (uint32_t i = 0; i < gateway->members.size; i++)
		if (gateway->members.by_rank[i])
			give_broadcast(gateway, gateway->members.by_rank[i],
				       broadcast);
	gateway_broadcast_drop(broadcast);
}

void
gateway_members_tell(struct gateway *gateway, enum stn_wireup_frame_type type,
		     const void *body, size_t size)
{
	struct broadcast *broadcast =
		gateway_broadcast_create(gateway, type, size);

	if (!broadcast)
		return;
	memcpy(broadcast->bytes + sizeof(struct stn_wireup_head), body, size);
	spread_broadcast(gateway, broadcast);
}

/*
 * What the wire-up server would send to its nodes is true of this cluster only.
 * The members get it when it is true of all clusters.
 */
void
gateway_take_server_frame(void *arg, enum stn_wireup_frame_type type,
			  const void *body, size_t size)
{
	struct gateway *gateway = arg;
	struct cluster *cluster = &gateway->clusters[gateway->mine];

	if (type == STN_WIREUP_CARDS) {
		if (!gateway->late.joining)
			gateway_tell_gateways(gateway, STN_TRUNK_CARDS, body,
					      size);
		if (!stn_bytes_add(&cluster->cards.bytes, body, size)) {
			gateway_fail(gateway, "out of memory");
			return;
		}
		cluster->cards.complete = true;
		gateway_deal_cards(gateway);
	} else if (type == STN_WIREUP_GO) {
		gateway_tell_gateways(gateway, STN_TRUNK_ARRIVED, NULL, 0);
		cluster->arrived = true;
		gateway_release(gateway);
	}
}

/*
 * Moves the round's cards of a cluster to @at; the cards of the next round
 * replace them.
 */
static unsigned char *
move_cards(struct cluster *cluster, unsigned char *at)
{
	size_t count = stn_bytes_count(&cluster->cards.bytes);

	if (count) /* a cluster that may come late has none */
		at = mempcpy(at, stn_bytes_front(&cluster->cards.bytes), count);
	stn_bytes_fini(&cluster->cards.bytes);
	cluster->cards = cluster->next;
	cluster->next = (struct collected_cards){ .complete = false };
	return at;
}

/*
 * Our cluster comes late: its nodes get the first nodes' cards of the round, and
 * their own.
 */
static void
deal_late(struct gateway *gateway)
{
	struct collected_cards *own = &gateway->clusters[gateway->mine].cards;
	struct late_cluster *late = &gateway->late;
	struct stn_bytes body = { NULL };
	const struct stn_bytes *first;

	if (!own->complete || late->dealt + late->partial >= late->round_count)
		return;
	first = &late->rounds[late->dealt];
	if (!stn_bytes_add(&body, stn_bytes_front(first),
			   stn_bytes_count(first)) ||
	    !stn_bytes_add(&body, stn_bytes_front(&own->bytes),
			   stn_bytes_count(&own->bytes)))
		gateway_fail(gateway, "out of memory");
	stn_bytes_fini(&late->peers);
	late->peers = own->bytes;
	*own = (struct collected_cards){ .complete = false };
	late->dealt++;
	gateway_members_tell(gateway, STN_WIREUP_CARDS, stn_bytes_front(&body),
			     stn_bytes_count(&body));
	stn_bytes_fini(&body);
}

void
gateway_deal_cards(struct gateway *gateway)
{
	struct broadcast *broadcast;
	unsigned char *at;
	size_t size = 0;

	if (gateway->late.joining) {
		deal_late(gateway);
		return;
	}
	for (uint32_t i = 0; i < gateway->known; i++) {
		if (!gateway->clusters[i].cards.complete &&
		    !gateway->clusters[i].dead)
			return;
		size += stn_bytes_count(&gateway->clusters[i].cards.bytes);
	}
	broadcast = gateway_broadcast_create(gateway, STN_WIREUP_CARDS, size);
	if (!broadcast)
		return;
	at = broadcast->bytes + sizeof(struct stn_wireup_head);
	for (uint32_t i = 0; i < gateway->known; i++)
		at = move_cards(&gateway->clusters[i], at);
	gateway_late_keep(gateway,
			  broadcast->bytes + sizeof(struct stn_wireup_head),
			  size);
	spread_broadcast(gateway, broadcast);
}

void
gateway_release(struct gateway *gateway)
{
	struct broadcast *broadcast;

	for (uint32_t i = 0; i < gateway->known; i++)
		if (!gateway->clusters[i].arrived && !gateway->clusters[i].dead)
			return;
	if (gateway->over || gateway->failure.declared ||
	    !gateway_summary_complete(gateway))
		return;
	gateway_summary_print(gateway);
	if (gateway->membership.begun)
		gateway_tell_gateways(gateway, STN_TRUNK_OVER, NULL, 0);
	broadcast = gateway_broadcast_create(gateway, STN_WIREUP_GO, 0);
	if (!broadcast)
		return;
	gateway->over = true;
	spread_broadcast(gateway, broadcast);
}

static void
member_lost(struct gateway *gateway, struct member *member)
{
	gateway->members.by_rank[member->rank] = NULL;
	gateway_broadcast_drop(member->progress.broadcast);
	stn_bytes_fini(&member->received);
	stn_stream_fini(&member->stream);
	gateway_free_later(&gateway->loop, &member->watch);
	if (!member->gave_up && !gateway_nodes_lost(gateway, member->rank))
		gateway_attribute_node(gateway, member_rank_of(gateway, member),
				       member->rank);
}

/* A node that misses another one knows less than the missing node's gateway. */
static void
member_take_miss(struct gateway *gateway, struct member *member,
		 const struct stn_wireup_frame *frame)
{
	struct stn_why why;
	uint32_t attributed_node = stn_wireup_frame_missed(frame, &why);

	member->gave_up = true;
	gateway_attribute_missed(gateway, member_rank_of(gateway, member),
				 attributed_node, why.text);
}

static void
member_fail_version(struct gateway *gateway, const struct member *member)
{
	gateway_fail(gateway,
		     "node %" PRIu32
		     " has another version of Sateen; rebuild it",
		     member_rank_of(gateway, member));
}

static void
member_take_frame(struct gateway *gateway, struct member *member,
		  const struct stn_wireup_frame *frame)
{
	struct stn_wireup_server *server = &gateway->members.server;
	enum stn_err err;

	if (frame->head.type == STN_WIREUP_MISS)
		member_take_miss(gateway, member, frame);
	err = gateway_nodes_take(gateway, member->rank, frame);
	if (err == STN_MISSING)
		err = stn_wireup_server_take(server, frame);
	if (server->aborted && !server->misses)
		gateway_fail(gateway, "%s", server->reason.text);
	else if (err)
		member_fail_version(gateway, member);
}

/*
 * Before the layout is known, a node's only frame is one that reports a
 * failure. Any other has no text, and can't be meant for this gateway.
 */
static void
member_take_early(struct gateway *gateway, const struct member *member,
		  const struct stn_wireup_frame *frame)
{
	if (frame->head.type == STN_WIREUP_ABORT)
		gateway_fail(gateway, "%.*s", (int)frame->head.size,
			     (const char *)frame->body);
	else
		member_fail_version(gateway, member);
}

/*
 * A frame may end its own node's connection: the node suspects another one, the
 * gateway reads that one's frames before it cuts it, and one of these suspects
 * the first node. The frame's buffer is freed then: STN_LOST.
 */
static enum stn_err
member_take_frames(struct gateway *gateway, struct member *member)
{
	struct stn_bytes *received = &member->received;
	struct stn_wireup_frame frame;
	enum stn_err err;

	while (!(err = stn_wireup_frame_parse(received, STN_WIREUP_FROM_NODE,
					      &frame))) {
		frame.head.rank = member->rank;
		if (gateway->members.layout_known)
			member_take_frame(gateway, member, &frame);
		else
			member_take_early(gateway, member, &frame);
		if (member->watch.dead)
			return STN_LOST;
		stn_wireup_frame_drop(received, &frame);
	}
	if (err == STN_MALFORMED)
		member_fail_version(gateway, member);
	return err == STN_MISSING ? STN_OK : err;
}

/*
 * A buffer that is empty is freed: there may be thousands of members. While one
 * of the member's frames is handled, the frame is still in the buffer: a second
 * reader would handle it again.
 */
static void
member_read(struct gateway *gateway, struct member *member)
{
	struct stn_bytes *received = &member->received;
	enum stn_err err;
	size_t before;

	if (member->reading)
		return;
	member->reading = true;
	do {
		before = stn_bytes_count(received);
		err = stn_bytes_read(received, member->stream.fd);
		if (!err && stn_bytes_count(received) == before)
			break;
		if (!err)
			err = member_take_frames(gateway, member);
	} while (!err);
	member->reading = false;
	if (member->watch.dead)
		return;
	if (err)
		member_lost(gateway, member);
	else if (!stn_bytes_count(received))
		stn_bytes_fini(received);
}

void
gateway_read_members(struct gateway *gateway, uint32_t rank)
{
	for (uint32_t i = 0; i < gateway->members.size; i++) {
		struct member *member = gateway->members.by_rank[i];

		if (member && (rank == STN_NOBODY ||
			       rank == member_rank_of(gateway, member)))
			member_read(gateway, member);
	}
}

void
gateway_member_ready(struct gateway *gateway, struct watch *watch,
		     uint32_t events)
{
	struct member *member = (struct member *)watch;

	if (events & EPOLLOUT)
		gateway_member_watch(gateway, member);
	if (events & ~(uint32_t)EPOLLOUT)
		member_read(gateway, member);
}

void
gateway_tell_member(struct gateway *gateway, uint32_t index,
		    enum stn_wireup_frame_type type, const void *body,
		    size_t size)
{
	struct member *member = gateway->members.by_rank[index];
	struct stn_wireup_head head = { type, 0, (uint32_t)size };

	if (!member)
		return;
	move_broadcast(member);
	stn_stream_put(&member->stream, &head, sizeof(head));
	stn_stream_put(&member->stream, body, size);
	gateway_member_watch(gateway, member);
}

void
gateway_cut_member(struct gateway *gateway, uint32_t index)
{
	if (gateway->members.by_rank[index])
		member_lost(gateway, gateway->members.by_rank[index]);
}

void
gateway_fini_members(struct gateway *gateway)
{
	for (uint32_t i = 0; i < gateway->members.size; i++) {
		struct member *member = gateway->members.by_rank[i];

		if (!member)
			continue;
		gateway_broadcast_drop(member->progress.broadcast);
		stn_bytes_fini(&member->received);
		stn_stream_fini(&member->stream);
		free(member);
	}
	free(gateway->members.by_rank);
	if (gateway->members.size)
		stn_wireup_server_fini(&gateway->members.server);
}
