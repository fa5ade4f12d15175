/*
 * ofi_receive.c: messages that arrive, in buffers that wait for them.
 */
#include <string.h>

#include "transport/ofi/ofi.h"

/* As an arrival: it may be refused, as all that a dead node sent is. */
static void
malformed(struct ofi *ofi, uint32_t from)
{
	const struct stn_arrival arrival = { .message.from = from };

	ofi->opening.handler(ofi->opening.arg, &arrival.message);
}

static void
show(struct ofi *ofi, const struct stn_parsed *parsed)
{
	struct ofi_arrival arrival;

	arrival.arrival.message = (struct stn_message){
		.from = parsed->packet.from,
		.kind = parsed->packet.kind,
		.header = parsed->header,
		.header_bytes = parsed->packet.header_bytes,
		.payload_bytes = parsed->packet.payload_bytes,
	};
	arrival.arrival.payload = NULL;
	if (parsed->packet.type == STN_PACKET_EAGER)
		arrival.arrival.payload = parsed->payload;
	else
		arrival.offer = parsed->offer;
	ofi->opening.handler(ofi->opening.arg, &arrival.arrival.message);
}

/* What can't be parsed is shown as a message of kind 0, which nobody sends. */
static void
handle(struct ofi *ofi, const unsigned char *bytes, size_t size)
{
	struct stn_parsed parsed;

	if (stn_packet_parse(bytes, size, ofi->opening.topology->nodes,
			     &parsed))
		malformed(ofi, parsed.packet.from);
	else if (parsed.packet.type != STN_PACKET_DONE)
		show(ofi, &parsed);
	else if (!ofi_offer_done(ofi, parsed.packet.from, parsed.done.token,
				 parsed.done.status ? STN_REFUSED : STN_OK))
		malformed(ofi, parsed.packet.from);
}

/* Is it for us, and not for whose port we have got? */
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
 * A message that did not fit is malformed. Any other error is that of a
 * connection which ended before the message had come whole: whoever sent it
 * learns of that.
 */
static void
received(struct ofi *ofi, struct ofi_context *context, size_t bytes, int err)
{
	struct ofi_receive *receive = (struct ofi_receive *)context;
	const size_t before = offsetof(struct ofi_wire, packet);

	if (ofi->closing)
		err = FI_ECANCELED;
	if (err == FI_ETRUNC)
		malformed(ofi, 0);
	else if (!err && addressed(ofi, receive->bytes, bytes))
		handle(ofi, receive->bytes + before, bytes - before);
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

		receive->context.completed = received;
		receive->next = ofi->unposted;
		ofi->unposted = receive;
	}
	return ofi_post_rest(ofi);
}
