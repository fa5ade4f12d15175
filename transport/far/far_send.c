/*
 * far_send.c: sends by way of the gateway. Segments are gathered, from the
 * sender's memory, into a batch, which one system call hands to the kernel.
 * What the kernel doesn't take stays in the batch and goes first the next time.
 * Messages go before PARTs of offered payloads, which take turns.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "transport/pieces.h"
#include "transport/far/far_send.h"

#define BATCHES_MOST 16 /* written before other connections have a turn */

/* Begins or ends waiting for room in the socket. */
static void
far_send_watch(struct far *far, struct far_connection *connection, bool blocked)
{
	struct epoll_event event = {
		.events = EPOLLIN | (blocked ? EPOLLOUT : 0),
		.data.u32 = connection->cluster,
	};

	if (connection->blocked == blocked)
		return;
	connection->blocked = blocked;
	epoll_ctl(far->watch, EPOLL_CTL_MOD, connection->fd, &event);
}

/* @err  NULL: each item's own */
static void
end_items(struct far_items *items, const enum stn_err *err)
{
	struct far_item *item;

	while ((item = STAILQ_FIRST(items))) {
		STAILQ_REMOVE_HEAD(items, link);
		if (item->done)
			item->done(item->arg, err ? *err : item->err);
		free(item);
	}
}

static void
far_send_end_offer(struct far_connection *connection, struct far_offer *offer,
		   enum stn_err err)
{
	if (offer->held) {
		offer->ended = true;
		offer->err = err;
		return;
	}
	if (connection->turn == offer)
		connection->turn = LIST_NEXT(offer, link);
	LIST_REMOVE(offer, link);
	offer->done(offer->arg, err);
	free(offer);
}

/*
 * Ends all offers that @which selects. Starts again after each, as its callback
 * may change the list.
 * @err  NULL: each offer's own
 */
static void
end_offers(struct far_connection *connection,
	   bool (*which)(const struct far_offer *, uint32_t), uint32_t rank,
	   const enum stn_err *err)
{
	struct far_offer *at = LIST_FIRST(&connection->offers);

	while (at) {
		if (!which(at, rank)) {
			at = LIST_NEXT(at, link);
			continue;
		}
		far_send_end_offer(connection, at, err ? *err : at->err);
		at = LIST_FIRST(&connection->offers);
	}
}

static bool
far_send_is_over(const struct far_offer *offer, uint32_t rank)
{
	(void)rank;
	return offer->ended && !offer->held;
}

static bool
leads_to(const struct far_offer *offer, uint32_t rank)
{
	return !offer->ended && (offer->to == rank || rank == FAR_ALL);
}

/*
 * The batch is written or abandoned: ends its items. Returns how many segments
 * it had.
 */
static unsigned
far_send_let_go(struct far_connection *connection)
{
	struct far_batch *batch = &connection->batch;
	struct far_items items = STAILQ_HEAD_INITIALIZER(items);
	unsigned segments = batch->segments;
	struct far_offer *at;
	bool over = false;

	batch->count = batch->at = 0;
	batch->segments = 0;
	STAILQ_CONCAT(&items, &batch->items);
	LIST_FOREACH (at, &connection->offers, link) {
		at->held = false;
		over = over || at->ended;
	}
	end_items(&items, NULL);
	if (over)
		end_offers(connection, far_send_is_over, 0, NULL);
	return segments;
}

static void
far_send_advance(struct far_batch *batch, size_t bytes)
{
	while (bytes) {
		struct iovec *piece = &batch->pieces[batch->at];
		size_t less = bytes < piece->iov_len ? bytes : piece->iov_len;

		piece->iov_base = (char *)piece->iov_base + less;
		piece->iov_len -= less;
		bytes -= less;
		batch->at += !piece->iov_len;
	}
}

/* Returns false if the socket takes no more, or is lost. */
static bool
write_batch(struct far *far, struct far_connection *connection)
{
	struct far_batch *batch = &connection->batch;

	while (batch->at < batch->count) {
		struct msghdr message = {
			.msg_iov = batch->pieces + batch->at,
			.msg_iovlen = batch->count - batch->at,
		};
		ssize_t sent = sendmsg(connection->fd, &message,
				       MSG_NOSIGNAL | MSG_DONTWAIT);

		if (sent >= 0) {
			far_send_advance(batch, (size_t)sent);
		} else if (errno == EAGAIN) {
			far_send_watch(far, connection, true);
			return false;
		} else if (errno != EINTR) {
			far_mark_lost(far, connection, "its gateway is gone");
			return false;
		}
	}
	return true;
}

/*
 * A gateway may take bytes as fast as this node sends them, so the number of
 * batches has a limit.
 */
unsigned
far_flush(struct far *far, struct far_connection *connection)
{
	unsigned did = 0;

	if (connection->flushing || connection->lost)
		return 0;
	connection->flushing = true;
	for (unsigned batches = 0;; batches++) {
		bool rest;

		if (!connection->batch.count)
			far_fill_batch(far, connection);
		rest = connection->batch.count;
		if (!rest || batches == BATCHES_MOST) {
			far_send_watch(far, connection, rest);
			break;
		}
		if (!write_batch(far, connection))
			break;
		did += far_send_let_go(connection);
	}
	connection->flushing = false;
	return did;
}

static void
submit(struct far *far, struct far_connection *connection,
       struct far_item *item)
{
	STAILQ_INSERT_TAIL(&connection->items, item, link);
	far_flush(far, connection);
}

static size_t
count_pieces(const struct iovec *pieces, size_t count)
{
	size_t full = 0;

	for (size_t i = 0; i < count; i++)
		full += pieces[i].iov_len > 0;
	return full;
}

/*
 * Keeps the pieces of a message. If they would fill a batch, they are copied
 * into one piece.
 */
static void
keep_pieces(struct far *far, struct far_item *item, const struct iovec *pieces,
	    size_t count, size_t payload)
{
	bool many = count_pieces(pieces, count) > FAR_PIECES / 4;
	unsigned char *at = item->memory + (item->done ? 0 : STN_HEADER_BYTES);

	item->pieces = (struct iovec *)at;
	if (!many) {
		for (size_t i = 0; i < count; i++)
			if (pieces[i].iov_len)
				item->pieces[item->count++] = pieces[i];
		return;
	}
	item->pieces[0] = (struct iovec){ at + sizeof(*pieces), payload };
	item->count = 1;
	stn_pieces_copy(item->pieces, pieces, payload);
	far->base.traffic.bytes_copied += payload;
}

/* Returns how many bytes keep_pieces needs behind the item. */
static size_t
item_room(const struct iovec *pieces, size_t count, size_t payload, bool copies)
{
	size_t full = count_pieces(pieces, count);
	size_t room = copies ? STN_HEADER_BYTES : 0;

	if (full > FAR_PIECES / 4)
		return room + sizeof(*pieces) + payload;
	return room + full * sizeof(*pieces);
}

static void
set_head(struct far *far, struct far_item *item, uint8_t kind,
	 size_t payload_bytes, size_t data_bytes, uint32_t operation)
{
	struct stn_segment segment = {
		.to = item->to,
		.from = far->base.opening.rank,
		.bytes = (uint16_t)(STN_SEGMENT_FRONT + data_bytes),
		.type = STN_SEGMENT_MESSAGE,
		.operation = operation,
	};

	stn_segment_write(item->head, &segment);
	stn_segment_message_write(item->head + STN_SEGMENT_HEAD, kind,
				  item->header_bytes, payload_bytes);
	item->head_bytes = FAR_HEAD_BYTES;
}

/* Ends a send at once if the connection is lost or closing. */
static bool
far_send_is_closed(const struct far *far,
		   const struct far_connection *connection, stn_done *done,
		   void *arg)
{
	if (!connection->lost && !far->closing)
		return false;
	if (done)
		done(arg, far->closing ? STN_CANCELLED : STN_LOST);
	return true;
}

static struct far_item *
make_item(uint32_t to, const void *header, size_t header_bytes, size_t room)
{
	struct far_item *item = stn_or_abort(calloc(1, sizeof(*item) + room));

	item->to = to;
	item->header = header;
	item->header_bytes = header_bytes;
	return item;
}

void
far_send(struct stn_transport *transport, uint32_t to, uint8_t kind,
	 const void *header, size_t header_bytes, const struct iovec *pieces,
	 size_t count, stn_done *done, void *arg)
{
	struct far *far = far_of(transport);
	struct far_connection *connection = far_connection_to(far, to);
	size_t payload = stn_pieces_bytes(pieces, count);
	struct far_item *item;

	if (far_send_is_closed(far, connection, done, arg))
		return;
	item = make_item(to, header, header_bytes,
			 item_room(pieces, count, payload, !done));
	item->done = done;
	item->arg = arg;
	if (!done && header_bytes) {
		item->header = memcpy(item->memory, header, header_bytes);
		transport->traffic.bytes_copied += header_bytes;
	}
	keep_pieces(far, item, pieces, count, payload);
	set_head(far, item, kind, payload, header_bytes + payload, 0);
	submit(far, connection, item);
}

static struct far_offer *
far_send_list_offer(struct far *far, struct far_connection *connection,
		    uint32_t to, const struct iovec *pieces, size_t count,
		    stn_done *done, void *arg)
{
	struct far_offer *offer;

	offer = stn_or_abort(
		calloc(1, sizeof(*offer) + count * sizeof(pieces[0])));
	offer->to = to;
	offer->operation = ++far->last_operation;
	if (!offer->operation) /* 0 means no operation */
		offer->operation = ++far->last_operation;
	offer->done = done;
	offer->arg = arg;
	offer->left = stn_pieces_bytes(pieces, count);
	memcpy(offer->pieces, pieces, count * sizeof(pieces[0]));
	offer->at = offer->pieces;
	LIST_INSERT_HEAD(&connection->offers, offer, link);
	return offer;
}

void
far_offer(struct stn_transport *transport, uint32_t to, uint8_t kind,
	  const void *header, size_t header_bytes, const struct iovec *pieces,
	  size_t count, stn_done *done, void *arg)
{
	struct far *far = far_of(transport);
	struct far_connection *connection = far_connection_to(far, to);
	struct far_item *item;

	if (far_send_is_closed(far, connection, done, arg))
		return;
	item = make_item(to, header, header_bytes, 0);
	item->offer = far_send_list_offer(far, connection, to, pieces, count,
					  done, arg);
	set_head(far, item, kind, item->offer->left, header_bytes,
		 item->offer->operation);
	submit(far, connection, item);
}

void
far_send_control(struct far *far, uint32_t to, enum stn_segment_type type,
		 uint8_t flags, uint32_t operation)
{
	struct stn_segment segment = {
		.to = to,
		.from = far->base.opening.rank,
		.type = (uint8_t)type,
		.flags = flags,
		.operation = operation,
	};
	struct far_connection *connection = far_connection_to(far, to);
	struct far_item *item;

	if (connection->lost || far->closing)
		return;
	item = make_item(to, NULL, 0, 0);
	item->head_bytes = STN_SEGMENT_HEAD;
	stn_segment_write(item->head, &segment);
	submit(far, connection, item);
}

void
far_offer_end(struct far *far, uint32_t from, uint32_t operation,
	      enum stn_err err)
{
	struct far_connection *connection = far_connection_to(far, from);
	struct far_offer *offer;

	LIST_FOREACH (offer, &connection->offers, link)
		if (offer->operation == operation && offer->to == from)
			break;
	/* A receiver can't have got a payload that has not left completely. */
	if (!offer || !offer->announced || offer->ended ||
	    (!err && offer->left))
		return;
	far_send_end_offer(connection, offer, err);
}

/* Moves the items for node @rank from a list to @taken, which is empty. */
static void
take_items(struct far_items *list, uint32_t rank, struct far_items *taken)
{
	struct far_items all = STAILQ_HEAD_INITIALIZER(all);
	struct far_item *item;

	STAILQ_CONCAT(&all, list);
	while ((item = STAILQ_FIRST(&all))) {
		bool takes = item->to == rank || rank == FAR_ALL;

		STAILQ_REMOVE_HEAD(&all, link);
		STAILQ_INSERT_TAIL(takes ? taken : list, item, link);
	}
}

/* Tells receivers of a payload that the rest will not come. */
static void
stop_offers(struct far *far, struct far_connection *connection, uint32_t rank)
{
	bool flushing = connection->flushing;
	struct far_offer *at;

	if (connection->lost || far->closing)
		return;
	connection->flushing =
		true; /* a flush could end offers and change the list */
	LIST_FOREACH (at, &connection->offers, link)
		if (leads_to(at, rank) && far_offer_streams(at))
			far_send_control(far, at->to, STN_SEGMENT_STOP, 0,
					 at->operation);
	connection->flushing = flushing;
}

void
far_end_sends(struct far *far, struct far_connection *connection, uint32_t rank,
	      enum stn_err err)
{
	struct far_batch *batch = &connection->batch;
	struct far_items queued = STAILQ_HEAD_INITIALIZER(queued);
	struct far_items written = STAILQ_HEAD_INITIALIZER(written);
	struct far_offer *offer;
	struct far_item *item;

	take_items(&connection->items, rank, &queued);
	if (batch->count) {
		STAILQ_FOREACH (item, &batch->items, link)
			if (item->to == rank || rank == FAR_ALL)
				item->err = err;
	} else {
		take_items(&batch->items, rank, &written);
		end_items(&written, &err);
		LIST_FOREACH (offer, &connection->offers, link)
			offer->held = false;
	}
	stop_offers(far, connection, rank);
	end_items(&queued, &err);
	end_offers(connection, leads_to, rank, &err);
	end_offers(connection, far_send_is_over, rank, NULL);
}

bool
far_idle(const struct far_connection *connection)
{
	return STAILQ_EMPTY(&connection->items) && !connection->batch.count &&
	       LIST_EMPTY(&connection->offers);
}
