/*
 * ofi_send.c: messages on their way out. libfabric gathers them: what it is
 * given begins with the packet, and the rest lies where the caller has it.
 *
 *	small	libfabric carries them off at once (FI_INJECT), from the stack
 *	others	an operation, in which the packet lies
 *
 * What is copied here: payloads in more pieces than libfabric gathers, and
 * headers that can't leave at once and have nobody who waits for their end.
 */
#include <stddef.h>
#include <string.h>

#include "transport/ofi/ofi.h"
#include "transport/pieces.h"

#define INLINED_MOST 256 /* to a peer at once; later ones are queued */

/* A packet on its way out, and what follows it. */
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
	struct fi_msg message = {
		.msg_iov = sending->list,
		.iov_count = sending->count,
		.addr = ofi->peers[op->to].address,
		.context = &op->context,
	};

	/* Which it didn't know when the peer hadn't been met yet. */
	sending->wire.cookie = ofi->peers[op->to].cookie;
	return fi_sendmsg(ofi->endpoint, &message, FI_COMPLETION);
}

static void
sent(struct ofi *ofi, struct ofi_op *op, enum stn_err err)
{
	struct sending *sending = (struct sending *)op;

	ofi_block_give(&ofi->blocks, sending->copy);
	if (sending->done)
		sending->done(sending->arg, err);
}

/* Adds to a list what isn't empty. Returns how long it is, or would be. */
static size_t
gather(struct iovec *list, size_t at, size_t room, const struct iovec *pieces,
       size_t count)
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
 * All that leave so complete to one context of the peer's, if at all. Where
 * libfabric has no bound of its own for what waits in a socket's queue, and
 * each may cost it 16 KB, they are counted.
 */
static ssize_t
inject(struct ofi *ofi, struct ofi_peer *peer, const struct iovec *list,
       size_t count)
{
	struct fi_msg message = {
		.msg_iov = list,
		.iov_count = count,
		.addr = peer->address,
		.context = &peer->inlined,
	};

	return fi_sendmsg(ofi->endpoint, &message, ofi->inject_flags);
}

static void
count_inlined(struct ofi *ofi, struct ofi_peer *peer, int more)
{
	peer->inlined_out += (unsigned)more;
	ofi->inlined_out += (size_t)more;
}

/* False if it can't leave at once. */
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
	if (err == -FI_EAGAIN)
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
	if (ofi->inject_flags & FI_COMPLETION)
		count_inlined(ofi, peer, -1);
	if (err)
		ofi_failed(ofi, (uint32_t)(peer - ofi->peers));
}

void
ofi_peers_init(struct ofi *ofi)
{
	ofi->sends.bytes = sizeof(struct sending);
	for (uint32_t i = 0; i < ofi->opening.topology->nodes; i++) {
		struct ofi_peer *peer = &ofi->peers[i];

		peer->inlined.completed = inlined;
		peer->address = FI_ADDR_UNSPEC;
		peer->last = &peer->first;
		peer->shut = true;
	}
}

/* Ends a list with one copy of the payload. */
static void
copy_payload(struct ofi *ofi, struct sending *sending,
	     const struct iovec *pieces, size_t count)
{
	struct iovec all = { NULL, stn_pieces_bytes(pieces, count) };

	all.iov_base = ofi_block_take(&ofi->blocks, all.iov_len);
	stn_pieces_copy(&all, pieces, all.iov_len);
	ofi->base.traffic.bytes_copied += all.iov_len;
	sending->copy = all.iov_base;
	sending->list[sending->count++] = all;
}

/* Puts the header behind the packet, which makes the list shorter by one. */
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
	struct sending *sending = ofi_spares_take(&ofi->sends);

	ofi_op_init(&sending->op, &ofi->sends, to, post_send, sent);
	sending->wire = (struct ofi_wire){ ofi->peers[to].cookie, *packet };
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
	struct ofi_wire wire = { ofi->peers[to].cookie, *packet };
	struct iovec list[OFI_GATHER + 1];
	struct sending *sending;
	size_t fixed, used;

	list[0] = (struct iovec){ &wire, sizeof(wire) };
	fixed = gather(list, 1, 2, &header, 1);
	used = gather(list, fixed, OFI_GATHER + 1, pieces, count);
	if (used <= ofi->gather && send_inline(ofi, to, list, used, done, arg))
		return;
	sending = sending_create(ofi, to, packet, done, arg);
	sending->count = used - fixed < ofi->gather ? used : fixed;
	memcpy(sending->list, list, sending->count * sizeof(list[0]));
	sending->list[0].iov_base = &sending->wire;
	if (sending->count < used)
		copy_payload(ofi, sending, pieces, count);
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
		stn_packet_make(ofi->opening.rank, STN_PACKET_EAGER, kind,
				header_bytes, stn_pieces_bytes(pieces, count));

	ofi_send_packet(ofi, to, &packet,
			(struct iovec){ (void *)header, header_bytes }, pieces,
			count, done, arg);
}
