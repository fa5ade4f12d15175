/* ofi_receive.c: receives messages into buffers that are posted beforehand. */
#include <string.h>

#include "transport/ofi/ofi.h"

static void
ofi_handle(struct ofi *ofi, const unsigned char *bytes, size_t size)
{
	struct stn_parsed parsed;

	if (stn_packet_parse(bytes, size, ofi->base.nodes, &parsed))
		stn_packet_malformed(&ofi->base.opening, parsed.packet.from);
	else
		stn_rendezvous_receive(&ofi->rendezvous, &ofi->base.opening,
				       &parsed);
}

/*
 * Is the message meant for this endpoint, not for an earlier owner of its port?
 */
static bool
addressed(const struct ofi *ofi, const unsigned char *bytes, size_t size)
{
	return size >= sizeof(ofi->cookie) &&
	       !memcmp(bytes, &ofi->cookie, sizeof(ofi->cookie));
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
	const size_t before = offsetof(struct ofi_wire, packet);

	if (ofi->closing)
		err = FI_ECANCELED;
	if (err == FI_ETRUNC)
		stn_packet_malformed(&ofi->base.opening, 0);
	else if (!err && addressed(ofi, receive->bytes, bytes))
		ofi_handle(ofi, receive->bytes + before, bytes - before);
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
