/*
 * verbs_send.c: sends messages. A packet is posted inline, or from a bounce
 * buffer. It waits in the peer's backlog if the peer is not connected yet or
 * its queue is full. Reads that wait have a queue of their own.
 */
#include <stdlib.h>
#include <string.h>

#include "transport/peers.h"
#include "transport/pieces.h"
#include "transport/verbs/verbs.h"
#include "transport/verbs/verbs_send.h"

/* A message in a backlog, which waits for room or for a connection. */
struct waiting {
	struct verbs_op op; /* first */
	struct verbs_message message;
	stn_done *done;
	void *arg;
	unsigned char header[STN_HEADER_BYTES];
	unsigned char block[sizeof(struct stn_offer_block)];
	struct iovec pieces[];
};

/*
 * Asks for an event when a send completes. Usually no send gives an event; only
 * an operation that waits for room needs one. A sleeping thread may have armed
 * before, so the event is requested at once. If a send has completed before,
 * verbs_waits tells the caller to wake that thread. (Reads begin in handlers,
 * after an arrival, which gives an event in any case.)
 */
static void
expect_sends(struct verbs *verbs)
{
	if (!verbs->sends.armed)
		(void)verbs_queue_arm(&verbs->sends);
}

static bool
verbs_waits_for(const struct verbs_peer *peer)
{
	return !STAILQ_EMPTY(&peer->backlog) || !STAILQ_EMPTY(&peer->reads);
}

static bool
is_heartbeat(const struct verbs_message *message)
{
	return message->packet.kind == STN_PEERS_HEARTBEAT;
}

bool
verbs_owes(const struct verbs_peer *peer)
{
	const struct verbs_op *op;

	STAILQ_FOREACH (op, &peer->backlog, link)
		if (!is_heartbeat(&((const struct waiting *)op)->message))
			return true;
	return peer->completed < peer->owed || peer->reads_posted ||
	       !STAILQ_EMPTY(&peer->reads);
}

static void
verbs_put_waiting(struct verbs *verbs, struct verbs_ops *waiting,
		  struct verbs_op *op)
{
	struct verbs_peer *peer = &verbs->peers[op->to];

	STAILQ_INSERT_TAIL(waiting, op, link);
	verbs_set_pending(verbs, peer);
	if (verbs_is_open(peer))
		expect_sends(verbs);
	else if (!peer->failing_ns)
		verbs_establish(verbs, peer);
}

static struct verbs_op *
verbs_take_waiting(struct verbs_ops *waiting)
{
	struct verbs_op *op = STAILQ_FIRST(waiting);

	if (op)
		STAILQ_REMOVE_HEAD(waiting, link);
	return op;
}

/* Posts the first operation of a queue. Returns false if none can be posted. */
static bool
verbs_post_first(struct verbs *verbs, struct verbs_ops *waiting)
{
	struct verbs_op *op = verbs_take_waiting(waiting);

	if (!op)
		return false;
	if (op->post(verbs, op))
		return true;
	STAILQ_INSERT_HEAD(waiting, op, link);
	return false;
}

/*
 * Posts the messages and reads that wait for a peer, while there is room. They
 * take turns: otherwise a node that sends without end would never read the
 * peer's payloads, or reads without end would hold up its messages.
 */
static unsigned
verbs_post_waiting(struct verbs *verbs, struct verbs_peer *peer)
{
	struct verbs_ops *const queues[] = { &peer->backlog, &peer->reads };
	unsigned did = 0;

	for (;; did++)
		if (verbs_post_first(verbs, queues[peer->read_is_next]))
			peer->read_is_next = !peer->read_is_next;
		else if (!verbs_post_first(verbs, queues[!peer->read_is_next]))
			break;
	if (!STAILQ_EMPTY(&peer->backlog))
		expect_sends(verbs);
	return did;
}

/* Peers that still connect, or for which something waits, stay in the list. */
unsigned
verbs_progress_pending(struct verbs *verbs)
{
	struct verbs_peer *peer = verbs->pending, *next;
	unsigned did = 0;

	verbs->pending = NULL;
	for (; peer; peer = next) {
		next = peer->next_pending;
		if (!verbs_is_open(peer) && !peer->dead)
			verbs_establish(verbs, peer);
		if (verbs_is_open(peer))
			did += verbs_post_waiting(verbs, peer);
		peer->pending = false;
		if (verbs_waits_for(peer) || verbs_is_connecting(peer))
			verbs_set_pending(verbs, peer);
	}
	return did;
}

/* Why no operation can start with this peer; STN_OK if one can. */
static enum stn_err
unreachable_err(const struct verbs *verbs, uint32_t to)
{
	if (verbs->closing)
		return STN_CANCELLED;
	return verbs->peers[to].dead ? STN_LOST : STN_OK;
}

void
verbs_submit_read(struct verbs *verbs, struct verbs_op *op)
{
	struct verbs_peer *peer = &verbs->peers[op->to];
	enum stn_err err = unreachable_err(verbs, op->to);

	if (err)
		op->ended(verbs, op, err);
	else if (verbs_waits_for(peer) || !op->post(verbs, op))
		verbs_put_waiting(verbs, &peer->reads, op);
}

static bool
has_room(const struct verbs *verbs, const struct verbs_peer *peer)
{
	return verbs_is_open(peer) &&
	       peer->posted - peer->completed < verbs->depth;
}

/*
 * Every request gives a completion: a close must know whether it has left, and
 * a sender must know how much room there is. If a post fails, the connection is
 * broken, and the operation ends with it.
 */
bool
verbs_post_work(struct verbs *verbs, uint32_t to, struct ibv_send_wr *work,
		struct verbs_op *op)
{
	struct verbs_peer *peer = &verbs->peers[to];
	struct ibv_send_wr *bad;

	if (!has_room(verbs, peer))
		return false;
	work->wr_id = to;
	work->send_flags |= IBV_SEND_SIGNALED;
	peer->in_flight[peer->posted++ % verbs->depth] = op;
	if (ibv_post_send(peer->pair, work, &bad))
		verbs_broken(verbs, peer, "its connection takes no more");
	return true;
}

/* A gather list. If it is full, the message is not gathered. */
struct gathering {
	struct ibv_sge entries[VERBS_PIECES];
	size_t count, room;
	bool full;
};

static void
verbs_gather(struct gathering *gathering, const void *at, size_t bytes)
{
	if (!bytes)
		return;
	if (gathering->count == gathering->room) {
		gathering->full = true;
		return;
	}
	gathering->entries[gathering->count++] = (struct ibv_sge){
		.addr = (uintptr_t)at,
		.length = (uint32_t)bytes,
	};
}

static size_t
message_bytes(const struct verbs_message *message)
{
	return sizeof(message->packet) + message->packet.header_bytes +
	       message->block_bytes +
	       stn_pieces_bytes(message->pieces, message->count);
}

/* The processor copies the message into the queue's entry. */
static bool
post_inline(struct verbs *verbs, uint32_t to,
	    const struct verbs_message *message, bool *fits_p)
{
	struct gathering gathering = { .room = verbs->gathered };
	struct ibv_send_wr work = {
		.sg_list = gathering.entries,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_INLINE,
	};

	*fits_p = message_bytes(message) <= verbs->inline_bytes;
	if (!*fits_p)
		return false;
	verbs_gather(&gathering, &message->packet, sizeof(message->packet));
	verbs_gather(&gathering, message->header, message->packet.header_bytes);
	verbs_gather(&gathering, message->block, message->block_bytes);
	for (size_t i = 0; i < message->count; i++)
		verbs_gather(&gathering, message->pieces[i].iov_base,
			     message->pieces[i].iov_len);
	work.num_sge = (int)gathering.count;
	*fits_p = !gathering.full;
	return *fits_p && verbs_post_work(verbs, to, &work, NULL);
}

static void
bounce_ended(struct verbs *verbs, struct verbs_op *op, enum stn_err err)
{
	(void)err;
	verbs->peers[op->to].bounced--;
	STAILQ_INSERT_HEAD(&verbs->free_bounces, op, link);
}

static size_t
copy_message(struct verbs *verbs, unsigned char *to,
	     const struct verbs_message *message)
{
	size_t payload = stn_pieces_bytes(message->pieces, message->count);
	unsigned char *at = to;

	at = stn_append(at, &message->packet, sizeof(message->packet));
	at = stn_append(at, message->header, message->packet.header_bytes);
	at = stn_append(at, message->block, message->block_bytes);
	stn_pieces_copy(&(struct iovec){ at, payload }, message->pieces,
			payload);
	verbs->base.traffic.bytes_copied +=
		message->packet.header_bytes + payload;
	return (size_t)(at - to) + payload;
}

/* A peer that acknowledges nothing must leave buffers for the others. */
static bool
may_bounce(const struct verbs *verbs, uint32_t to)
{
	return verbs->base.nodes <= 2 ||
	       verbs->peers[to].bounced < VERBS_BOUNCES_EACH;
}

/*
 * Sends a copy in a bounce buffer. Registering the application's memory for so
 * little data would cost more than the copy. Keeping it registered would be
 * wrong when the application frees it and the address is reused.
 */
static bool
post_bounced(struct verbs *verbs, uint32_t to,
	     const struct verbs_message *message)
{
	struct verbs_op *op = STAILQ_FIRST(&verbs->free_bounces);
	struct verbs_bounce *bounce = (struct verbs_bounce *)op;
	struct ibv_sge entry = { .lkey = verbs->region->lkey };
	struct ibv_send_wr work = {
		.sg_list = &entry,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
	};

	if (!op || !may_bounce(verbs, to) ||
	    !has_room(verbs, &verbs->peers[to]))
		return false;
	STAILQ_REMOVE_HEAD(&verbs->free_bounces, link);
	entry.addr = (uintptr_t)bounce->bytes;
	entry.length = (uint32_t)copy_message(verbs, bounce->bytes, message);
	op->ended = bounce_ended;
	op->to = to;
	verbs->peers[to].bounced++;
	return verbs_post_work(verbs, to, &work, op);
}

/* After success, the caller's memory is no longer needed. */
static bool
post_message(struct verbs *verbs, uint32_t to,
	     const struct verbs_message *message)
{
	struct verbs_peer *peer = &verbs->peers[to];
	bool fits;

	if (!post_inline(verbs, to, message, &fits) &&
	    (fits || !post_bounced(verbs, to, message)))
		return false;
	if (!is_heartbeat(message))
		peer->owed = peer->posted;
	return true;
}

static void
waiting_ended(struct verbs *verbs, struct verbs_op *op, enum stn_err err)
{
	struct waiting *waiting = (struct waiting *)op;

	(void)verbs;
	if (waiting->done)
		waiting->done(waiting->arg, err);
	free(waiting);
}

static bool
waiting_post(struct verbs *verbs, struct verbs_op *op)
{
	if (!post_message(verbs, op->to, &((struct waiting *)op)->message))
		return false;
	waiting_ended(verbs, op, STN_OK);
	return true;
}

static void
queue_message(struct verbs *verbs, uint32_t to,
	      const struct verbs_message *message, stn_done *done, void *arg)
{
	size_t bytes = message->count * sizeof(struct iovec);
	struct waiting *waiting =
		stn_or_abort(calloc(1, sizeof(*waiting) + bytes));

	waiting->op = (struct verbs_op){ .post = waiting_post,
					 .ended = waiting_ended,
					 .to = to };
	waiting->message = *message;
	waiting->done = done;
	waiting->arg = arg;
	if (!done) {
		stn_append(waiting->header, message->header,
			   message->packet.header_bytes);
		waiting->message.header = waiting->header;
		verbs->base.traffic.bytes_copied +=
			message->packet.header_bytes;
	}
	stn_append(waiting->block, message->block, message->block_bytes);
	waiting->message.block = waiting->block;
	stn_append(waiting->pieces, message->pieces, bytes);
	waiting->message.pieces = waiting->pieces;
	verbs_put_waiting(verbs, &verbs->peers[to].backlog, &waiting->op);
}

void
verbs_send_message(struct verbs *verbs, uint32_t to,
		   const struct verbs_message *message, stn_done *done,
		   void *arg)
{
	enum stn_err err = unreachable_err(verbs, to);

	if (!err && (!STAILQ_EMPTY(&verbs->peers[to].backlog) ||
		     !post_message(verbs, to, message)))
		queue_message(verbs, to, message, done, arg);
	else if (done)
		done(arg, err);
}

void
verbs_send(struct stn_transport *transport, uint32_t to, uint8_t kind,
	   const void *header, size_t header_bytes, const struct iovec *pieces,
	   size_t count, stn_done *done, void *arg)
{
	struct verbs *verbs = verbs_of(transport);
	size_t payload = stn_pieces_bytes(pieces, count);
	struct verbs_message message = {
		.packet = stn_packet_make(verbs->base.opening.rank,
					  STN_PACKET_EAGER, kind, header_bytes,
					  payload),
		.header = header,
		.pieces = pieces,
		.count = payload ? count : 0,
	};

	verbs_send_message(verbs, to, &message, done, arg);
}

/* Destroys the connection first. After that no device accesses the memory. */
void
verbs_release(struct verbs *verbs, struct verbs_peer *peer, enum stn_err err)
{
	struct verbs_op *op;

	verbs_disconnect(verbs, peer);
	for (; peer->completed != peer->posted; peer->completed++) {
		op = peer->in_flight[peer->completed % verbs->depth];
		if (op)
			op->ended(verbs, op, err);
	}
	free(peer->in_flight);
	peer->in_flight = NULL;
	while ((op = verbs_take_waiting(&peer->backlog)) ||
	       (op = verbs_take_waiting(&peer->reads)))
		op->ended(verbs, op, err);
}
