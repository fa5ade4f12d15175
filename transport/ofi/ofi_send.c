/*
 * ofi_send.c: sends messages. libfabric gathers a message from the packet and
 * from the caller's memory.
 *
 *	small	inline: libfabric copies them at once (FI_INJECT); the packet
 *		is on the stack
 *	others	need an operation, which contains the packet
 *
 * This file copies payloads that have more pieces than libfabric gathers, and
 * headers that can't leave at once and have no done callback.
 */
#include <stddef.h>
#include <string.h>

#include "transport/memory.h"
#include "transport/ofi/ofi.h"
#include "transport/ofi/ofi_send.h"
#include "transport/peers.h"
#include "transport/pieces.h"

#define INLINED_MOST 256 /* to one peer; later ones need an operation */

/* A packet that libfabric has, or that waits, and the pieces that follow it. */
struct sending {
	struct ofi_op op;
	stn_done *done;
	void *arg;
	void *copy; /* of a payload in too many pieces */
	size_t count;
	struct iovec list[OFI_GATHER + 1];
	struct ofi_wire wire;
	unsigned char header[STN_HEADER_BYTES]; /* a copy, behind the packet */
};

_Static_assert(offsetof(struct sending, header) ==
		       offsetof(struct sending, wire) + OFI_WIRE_BYTES,
	       "a header's copy follows the packet at once");

static ssize_t
post_send(struct ofi *ofi, struct ofi_op *op)
{
	struct sending *sending = (struct sending *)op;
	struct ofi_peer *peer = &ofi->peers[op->to];
	struct fi_msg message = {
		.msg_iov = sending->list,
		.iov_count = sending->count,
		.addr = peer->address,
		.context = &op->context,
	};
	ssize_t err;

	sending->wire.cookie = peer->cookie;
	sending->wire.number = peer->sent;
	err = fi_sendmsg(ofi->endpoint, &message, FI_COMPLETION);
	peer->sent += !err;
	return err;
}

static void
ofi_sent(struct ofi *ofi, struct ofi_op *op, enum stn_err err)
{
	struct sending *sending = (struct sending *)op;

	ofi_block_put(&ofi->blocks, sending->copy);
	if (sending->done)
		sending->done(sending->arg, err);
	else if (err == STN_NO_MEMORY)
		stn_or_abort(NULL); /* nobody else would learn of it */
}

/*
 * Appends the pieces that aren't empty. Returns the length of the list, or the
 * length it would have if @room sufficed.
 */
static size_t
ofi_gather(struct iovec *list, size_t at, size_t room,
	   const struct iovec *pieces, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!pieces[i].iov_len)
			continue;
		if (at < room)
			list[at] = pieces[i];
		at++;
	}
	return at;
}

/*
 * All inline messages to a peer share one context, if they complete at all.
 * Over sockets libfabric queues messages without a bound, at up to 16 KB each;
 * there they complete, and the backend counts them.
 * @list  begins with a struct ofi_wire
 */
static ssize_t
inject(struct ofi *ofi, struct ofi_peer *peer, const struct iovec *list,
       size_t count)
{
	struct ofi_wire *wire = list[0].iov_base;
	struct fi_msg message = {
		.msg_iov = list,
		.iov_count = count,
		.addr = peer->address,
		.context = &peer->inlined,
	};
	ssize_t err;

	wire->cookie = peer->cookie;
	wire->number = peer->sent;
	err = fi_sendmsg(ofi->endpoint, &message, ofi->inject_flags);
	peer->sent += !err;
	return err;
}

static void
count_inlined(struct ofi *ofi, struct ofi_peer *peer, int more)
{
	peer->inlined_out += (unsigned)more;
	ofi->inlined_out += (size_t)more;
}

/* Returns false if the message can't leave at once. */
static bool
send_inline(struct ofi *ofi, uint32_t to, const struct iovec *list,
	    size_t count, stn_done *done, void *arg)
{
	struct ofi_peer *peer = &ofi->peers[to];
	ssize_t err;

	if (stn_pieces_bytes(list, count) > ofi->inject_bytes ||
	    peer->inlined_out == INLINED_MOST || !ofi_ready(ofi, peer))
		return false;
	err = inject(ofi, peer, list, count);
	if (err == -FI_EAGAIN || err == -FI_ENOMEM)
		return false;
	if (err)
		ofi_failed(ofi, to);
	else if (ofi->inject_flags & FI_COMPLETION)
		count_inlined(ofi, peer, 1);
	if (done)
		done(arg, err ? STN_LOST : STN_OK);
	return true;
}

static void
inlined(struct ofi *ofi, struct ofi_context *context, size_t bytes, int err)
{
	struct ofi_peer *peer = (struct ofi_peer *)context;

	(void)bytes;
	if ((ofi->inject_flags & FI_COMPLETION) && !peer->severed)
		count_inlined(ofi, peer, -1);
	if (err)
		ofi_failed(ofi, (uint32_t)(peer - ofi->peers));
}

void
ofi_peers_init(struct ofi *ofi)
{
	ofi->sends.bytes = sizeof(struct sending);
	for (uint32_t i = 0; i < ofi->base.nodes; i++) {
		struct ofi_peer *peer = &ofi->peers[i];

		peer->inlined.completed = inlined;
		peer->address = FI_ADDR_UNSPEC;
		STAILQ_INIT(&peer->backlog);
		STAILQ_INIT(&peer->reads);
		peer->shut = true;
	}
}

struct iovec
ofi_copy(struct ofi *ofi, const struct iovec *pieces, size_t count)
{
	struct iovec all = { NULL, stn_pieces_bytes(pieces, count) };

	all.iov_base = ofi_block_get(&ofi->blocks, all.iov_len);
	stn_pieces_copy(&all, pieces, all.iov_len);
	ofi->base.traffic.bytes_copied += all.iov_len;
	return all;
}

/* Copies the header behind the packet; the list then has one entry less. */
static void
copy_header(struct ofi *ofi, struct sending *sending)
{
	const struct iovec header = sending->list[1];

	memcpy(sending->header, header.iov_base, header.iov_len);
	ofi->base.traffic.bytes_copied += header.iov_len;
	sending->list[0].iov_len += header.iov_len;
	sending->count--;
	memmove(&sending->list[1], &sending->list[2],
		(sending->count - 1) * sizeof(header));
}

static struct sending *
sending_create(struct ofi *ofi, uint32_t to, const struct stn_packet *packet,
	       stn_done *done, void *arg)
{
	struct sending *sending = ofi_pool_get(&ofi->sends);

	ofi_op_init(&sending->op, &ofi->sends, to, post_send, ofi_sent);
	sending->op.heartbeat = packet->kind == STN_PEERS_HEARTBEAT;
	sending->wire.packet = *packet;
	sending->done = done;
	sending->arg = arg;
	sending->copy = NULL;
	return sending;
}

void
ofi_send_packet(struct ofi *ofi, uint32_t to, const struct stn_packet *packet,
		struct iovec header, const struct iovec *pieces, size_t count,
		stn_done *done, void *arg)
{
	struct ofi_wire wire = { .packet = *packet };
	struct iovec list[OFI_GATHER + 1];
	struct sending *sending;
	size_t fixed, used;

	list[0] = (struct iovec){ &wire, sizeof(wire) };
	fixed = ofi_gather(list, 1, 2, &header, 1);
	used = ofi_gather(list, fixed, OFI_GATHER + 1, pieces, count);
	if (used <= ofi->gather && send_inline(ofi, to, list, used, done, arg))
		return;
	sending = sending_create(ofi, to, packet, done, arg);
	sending->count = used - fixed < ofi->gather ? used : fixed;
	memcpy(sending->list, list, sending->count * sizeof(list[0]));
	sending->list[0].iov_base = &sending->wire;
	if (sending->count < used) {
		struct iovec all = ofi_copy(ofi, pieces, count);

		sending->copy = all.iov_base;
		sending->list[sending->count++] = all;
	}
	if (fixed == 2 && (!done || sending->count > ofi->gather))
		copy_header(ofi, sending);
	ofi_submit(ofi, &sending->op);
}

void
ofi_send(struct stn_transport *transport, uint32_t to, uint8_t kind,
	 const void *header, size_t header_bytes, const struct iovec *pieces,
	 size_t count, stn_done *done, void *arg)
{
	struct ofi *ofi = ofi_of(transport);
	struct stn_packet packet =
		stn_packet_make(ofi->base.opening.rank, STN_PACKET_EAGER, kind,
				header_bytes, stn_pieces_bytes(pieces, count));

	ofi_send_packet(ofi, to, &packet,
			(struct iovec){ (void *)header, header_bytes }, pieces,
			count, done, arg);
}
