/* ofi_receive.c: receives messages into buffers that are posted beforehand. */
#include <stddef.h>

#include "transport/ofi/ofi.h"

/*
 * Handles the message of @size bytes unless an earlier message of its sender is
 * missing. The cookie and the number have come whole.
 */
static void
ofi_handle(struct ofi *ofi, const struct ofi_wire *wire, size_t size)
{
	struct stn_parsed parsed;
	uint32_t from;

	if (stn_packet_parse((const unsigned char *)&wire->packet,
			     size - offsetof(struct ofi_wire, packet),
			     ofi->base.nodes, &parsed)) {
		stn_packet_malformed(&ofi->base.opening, parsed.packet.from);
		return;
	}
	from = parsed.packet.from;
	if (wire->number != ofi->peers[from].received++ &&
	    (ofi->provider.traits & OFI_SOCKETS)) {
		ofi_failed(ofi, from);
		return;
	}
	stn_rendezvous_receive(&ofi->rendezvous, &ofi->base.opening, &parsed);
}

/*
 * Is the message meant for this endpoint, not for an earlier owner of its port?
 */
static bool
addressed(const struct ofi *ofi, const struct ofi_wire *wire, size_t size)
{
	return size >= offsetof(struct ofi_wire, packet) &&
	       wire->cookie == ofi->cookie;
}

static ssize_t
post(struct ofi *ofi, struct ofi_receive *receive)
{
	ssize_t err = fi_recv(ofi->endpoint, receive->bytes, ofi->receive_bytes,
			      NULL, FI_ADDR_UNSPEC, &receive->context);

	if (err) {
		receive->next = ofi->unposted;
		ofi->unposted = receive;
	}
	return err;
}

/*
 * A message that was too long is malformed. Any other error means that a
 * connection ended in the middle of a message; the sender gets an error of its
 * own.
 */
static void
ofi_received(struct ofi *ofi, struct ofi_context *context, size_t bytes,
	     int err)
{
	struct ofi_receive *receive = (struct ofi_receive *)context;
	const struct ofi_wire *wire = (const void *)receive->bytes;

	if (ofi->closing)
		err = FI_ECANCELED;
	if (err == FI_ETRUNC)
		stn_packet_malformed(&ofi->base.opening, 0);
	else if (!err && addressed(ofi, wire, bytes))
		ofi_handle(ofi, wire, bytes);
	post(ofi, receive);
}

ssize_t
ofi_post_rest(struct ofi *ofi)
{
	struct ofi_receive *receive = ofi->unposted, *next;
	ssize_t err = 0;

	ofi->unposted = NULL;
	for (; receive; receive = next) {
		ssize_t failed;

		next = receive->next;
		failed = post(ofi, receive);
		err = failed ? failed : err;
	}
	return err;
}

ssize_t
ofi_post_receives(struct ofi *ofi)
{
	const size_t stride = ofi_receive_stride(ofi);

	for (size_t i = 0; i < OFI_RECEIVES; i++) {
		struct ofi_receive *receive =
			(struct ofi_receive *)(void *)(ofi->receives +
						       i * stride);

		receive->context.completed = ofi_received;
		receive->next = ofi->unposted;
		ofi->unposted = receive;
	}
	return ofi_post_rest(ofi);
}
