#include "transport/ofi.h"

#include <stdlib.h>
#include <string.h>

#include "transport/pieces.h"

#define COMPLETIONS 16 /* read at once */
#define POLL_MOST_NS 1000000ull

/* A packet on its way out. */
struct sending {
	struct ofi_op op;
	stn_done *done;
	void *arg;
	void *copy; /* of a payload in more pieces than the fabric gathers */
	size_t count;
	struct iovec pieces[OFI_PIECES + 1];
	unsigned char head[STN_PACKET_BYTES + STN_HEADER_BYTES +
			   sizeof(struct stn_offer_block)];
};

static void
backlog_put(struct ofi *ofi, struct ofi_op *op)
{
	struct ofi_peer *peer = &ofi->peers[op->to];

	op->next = NULL;
	*peer->last = op;
	peer->last = &op->next;
	ofi->backlogged++;
}

static void
link_posted(struct ofi *ofi, struct ofi_op *op)
{
	op->next = ofi->posted;
	op->previous = &ofi->posted;
	if (op->next)
		op->next->previous = &op->next;
	ofi->posted = op;
}

static void
unlink_posted(struct ofi_op *op)
{
	*op->previous = op->next;
	if (op->next)
		op->next->previous = op->previous;
}

/* What a post has led to, but for -FI_EAGAIN. May end the operation. */
static void
posted(struct ofi *ofi, struct ofi_op *op, ssize_t err)
{
	if (err)
		op->completed(ofi, op, 0, (int)-err);
	else
		link_posted(ofi, op);
}

void
ofi_submit(struct ofi *ofi, struct ofi_op *op)
{
	ssize_t err = -FI_EAGAIN;

	if (ofi->closing)
		err = -FI_ECANCELED;
	else if (!ofi->peers[op->to].first)
		err = op->post(ofi, op);
	if (err == -FI_EAGAIN)
		backlog_put(ofi, op);
	else
		posted(ofi, op, err);
}

/* Posts what waits for this peer, as far as libfabric takes it. */
static unsigned
backlog_retry(struct ofi *ofi, struct ofi_peer *peer)
{
	unsigned did = 0;

	while (peer->first) {
		struct ofi_op *op = peer->first;
		ssize_t err = op->post(ofi, op);

		if (err == -FI_EAGAIN)
			break;
		peer->first = op->next;
		if (!peer->first)
			peer->last = &peer->first;
		ofi->backlogged--;
		did++;
		posted(ofi, op, err);
	}
	return did;
}

static ssize_t
post_send(struct ofi *ofi, struct ofi_op *op)
{
	struct sending *sending = (struct sending *)op;
	struct fi_msg message = {
		.msg_iov = sending->pieces,
		.iov_count = sending->count,
		.addr = ofi->peers[op->to].address,
		.context = &op->context,
	};

	return fi_sendmsg(ofi->endpoint, &message, FI_COMPLETION);
}

enum stn_err
ofi_translate(int err)
{
	if (!err)
		return STN_OK;
	return err == FI_ECANCELED ? STN_CANCELLED : STN_LOST;
}

static void
sent(struct ofi *ofi, struct ofi_op *op, size_t bytes, int err)
{
	struct sending *sending = (struct sending *)op;

	(void)ofi;
	(void)bytes;
	if (sending->done)
		sending->done(sending->arg, ofi_translate(err));
	free(sending->copy);
	free(sending);
}

/*
 * Lists the payload's pieces behind the head, or one copy of all if the fabric
 * gathers fewer.
 */
static void
add_payload(struct ofi *ofi, struct sending *sending,
	    const struct iovec *pieces, size_t count)
{
	size_t room = ofi->info->tx_attr->iov_limit;
	size_t head = sending->pieces[0].iov_len;
	size_t bytes = stn_pieces_bytes(pieces, count);

	if (!bytes)
		return;
	if (count < room && count <= OFI_PIECES) {
		memcpy(&sending->pieces[1], pieces, count * sizeof(pieces[0]));
		sending->count += count;
		return;
	}
	sending->copy = malloc(head + bytes);
	if (!sending->copy)
		abort();
	memcpy(sending->copy, sending->head, head);
	stn_pieces_copy(&(struct iovec){ (char *)sending->copy + head, bytes },
			pieces, bytes);
	sending->pieces[0] = (struct iovec){ sending->copy, head + bytes };
}

/* Appends, where there may be nothing to append. */
static unsigned char *
append(unsigned char *at, const void *bytes, size_t size)
{
	return size ? mempcpy(at, bytes, size) : at;
}

void
ofi_send_packet(struct ofi *ofi, uint32_t to, const struct stn_packet *packet,
		const void *header, const void *block, size_t block_bytes,
		const struct iovec *pieces, size_t count, stn_done *done,
		void *arg)
{
	struct sending *sending = calloc(1, sizeof(*sending));
	unsigned char *at;

	if (!sending)
		abort();
	sending->op.post = post_send;
	sending->op.completed = sent;
	sending->op.to = to;
	sending->done = done;
	sending->arg = arg;
	at = mempcpy(sending->head, packet, sizeof(*packet));
	at = append(at, header, packet->header_bytes);
	at = append(at, block, block_bytes);
	sending->pieces[0].iov_base = sending->head;
	sending->pieces[0].iov_len = (size_t)(at - sending->head);
	sending->count = 1;
	add_payload(ofi, sending, pieces, count);
	ofi_submit(ofi, &sending->op);
}

struct stn_packet
ofi_packet(const struct ofi *ofi, enum stn_packet_type type, uint8_t kind,
	   size_t header_bytes, const struct iovec *pieces, size_t count)
{
	return (struct stn_packet){
		.from = ofi->opening.rank,
		.kind = kind,
		.type = type,
		.header_bytes = (uint16_t)header_bytes,
		.payload_bytes = stn_pieces_bytes(pieces, count),
	};
}

/* A message that fits the fabric's inline size leaves without an operation. */
static bool
inject(struct ofi *ofi, uint32_t to, const struct stn_packet *packet,
       const void *header, const struct iovec *pieces)
{
	size_t bytes =
		sizeof(*packet) + packet->header_bytes + packet->payload_bytes;
	unsigned char wire[256], *at;

	if (bytes > sizeof(wire) || bytes > ofi->info->tx_attr->inject_size ||
	    ofi->peers[to].first || ofi->closing)
		return false;
	at = mempcpy(wire, packet, sizeof(*packet));
	at = append(at, header, packet->header_bytes);
	stn_pieces_copy(&(struct iovec){ at, packet->payload_bytes }, pieces,
			packet->payload_bytes);
	return !fi_inject(ofi->endpoint, wire, bytes, ofi->peers[to].address);
}

void
ofi_send(struct stn_transport *transport, uint32_t to, uint8_t kind,
	 const void *header, size_t header_bytes, const struct iovec *pieces,
	 size_t count, stn_done *done, void *arg)
{
	struct ofi *ofi = ofi_of(transport);
	struct stn_packet packet = ofi_packet(ofi, STN_PACKET_EAGER, kind,
					      header_bytes, pieces, count);

	if (inject(ofi, to, &packet, header, pieces)) {
		if (done)
			done(arg, STN_OK);
		return;
	}
	ofi_send_packet(ofi, to, &packet, header, NULL, 0, pieces, count, done,
			arg);
}

ssize_t
ofi_post_receive(struct ofi *ofi, struct ofi_op *op)
{
	struct ofi_receive *receive = (struct ofi_receive *)op;

	return fi_recv(ofi->endpoint, receive->bytes, sizeof(receive->bytes),
		       NULL, FI_ADDR_UNSPEC, &op->context);
}

/* What can't be parsed is shown as a message of kind 0, which nobody sends. */
static void
handle(struct ofi *ofi, const unsigned char *bytes, size_t size)
{
	struct stn_parsed parsed;
	struct ofi_arrival arrival;
	enum stn_err err;

	err = stn_packet_parse(bytes, size, ofi->opening.topology->nodes,
			       &parsed);
	if (!err && parsed.packet.type == STN_PACKET_DONE) {
		if (ofi_offer_done(ofi, parsed.packet.from, parsed.done.token,
				   parsed.done.status ? STN_REFUSED : STN_OK))
			return;
		err = STN_MALFORMED;
	}
	memset(&arrival.arrival, 0, sizeof(arrival.arrival));
	arrival.arrival.message.from = parsed.packet.from;
	if (!err) {
		arrival.arrival.message.kind = parsed.packet.kind;
		arrival.arrival.message.header = parsed.header;
		arrival.arrival.message.header_bytes =
			parsed.packet.header_bytes;
		arrival.arrival.message.payload_bytes =
			parsed.packet.payload_bytes;
		if (parsed.packet.type == STN_PACKET_EAGER)
			arrival.arrival.payload = parsed.payload;
		else
			arrival.offer = parsed.offer;
	}
	ofi->opening.handler(ofi->opening.arg, &arrival.arrival.message);
}

void
ofi_received(struct ofi *ofi, struct ofi_op *op, size_t bytes, int err)
{
	struct ofi_receive *receive = (struct ofi_receive *)op;

	if (ofi->closing || err == FI_ECANCELED)
		return;
	/*
	 * A message that did not fit is malformed. Any other error is that of
	 * a connection which ended before the message had come whole, as may
	 * be with net when two nodes connect to each other at once: its sender
	 * learns of it, or sends it again.
	 */
	if (!err || err == FI_ETRUNC)
		handle(ofi, receive->bytes, err ? 0 : bytes);
	if (ofi_post_receive(ofi, op))
		handle(ofi, NULL, 0);
}

static void
complete(struct ofi *ofi, void *context, size_t bytes, int err)
{
	struct ofi_op *op = context;

	if (op->completed != ofi_received)
		unlink_posted(op);
	op->completed(ofi, op, bytes, err);
}

static unsigned
complete_error(struct ofi *ofi)
{
	struct fi_cq_err_entry entry = { 0 };

	if (fi_cq_readerr(ofi->completions, &entry, 0) != 1 ||
	    !entry.op_context)
		return 0;
	complete(ofi, entry.op_context, 0, entry.err ? entry.err : FI_EIO);
	return 1;
}

static unsigned
complete_some(struct ofi *ofi)
{
	struct fi_cq_msg_entry entries[COMPLETIONS];
	ssize_t got = fi_cq_read(ofi->completions, entries, COMPLETIONS);

	if (got == -FI_EAVAIL)
		return complete_error(ofi);
	if (got < 0 && got != -FI_EAGAIN && !ofi->closing)
		handle(ofi, NULL, 0);
	for (ssize_t i = 0; i < got; i++)
		complete(ofi, entries[i].op_context, entries[i].len, 0);
	return got > 0 ? (unsigned)got : 0;
}

void
ofi_peer_del(struct stn_transport *transport, uint32_t rank)
{
	struct ofi *ofi = ofi_of(transport);
	struct ofi_peer *peer = &ofi->peers[rank];

	while (peer->first) {
		struct ofi_op *op = peer->first;

		peer->first = op->next;
		if (!peer->first)
			peer->last = &peer->first;
		ofi->backlogged--;
		op->completed(ofi, op, 0, FI_EIO);
	}
	ofi_offers_lost(ofi, rank);
}

unsigned
ofi_progress(struct stn_transport *transport)
{
	struct ofi *ofi = ofi_of(transport);
	unsigned did = complete_some(ofi);

	for (uint32_t i = 0;
	     ofi->backlogged && i < ofi->opening.topology->nodes; i++)
		did += backlog_retry(ofi, &ofi->peers[i]);
	if (did)
		ofi->interval_ns = OFI_POLL_LEAST_NS;
	return did;
}

void
ofi_cancel_rest(struct ofi *ofi)
{
	for (uint32_t i = 0; i < ofi->opening.topology->nodes; i++) {
		struct ofi_peer *peer = &ofi->peers[i];

		while (peer->first) {
			struct ofi_op *op = peer->first;

			peer->first = op->next;
			op->completed(ofi, op, 0, FI_ECANCELED);
		}
	}
	while (ofi->posted) {
		struct ofi_op *op = ofi->posted;

		unlink_posted(op);
		op->completed(ofi, op, 0, FI_ECANCELED);
	}
}

/* Where one can't sleep, polls ever less often while nothing happens. */
static uint64_t
next_interval(struct ofi *ofi)
{
	uint64_t interval = ofi->interval_ns;

	if (interval < POLL_MOST_NS)
		ofi->interval_ns += interval / 4;
	return interval;
}

bool
ofi_waits(const struct stn_transport *transport)
{
	return ((const struct ofi *)transport)->backlogged;
}

uint64_t
ofi_arm(struct stn_transport *transport)
{
	struct ofi *ofi = ofi_of(transport);
	struct fid *fids[] = { &ofi->completions->fid };

	if (transport->limits.fd < 0)
		return next_interval(ofi);
	if (fi_trywait(ofi->fabric, fids, 1))
		return STN_NOT_NOW;
	/* What could not be posted may become possible without an event. */
	return ofi->backlogged ? POLL_MOST_NS : STN_FOREVER;
}
