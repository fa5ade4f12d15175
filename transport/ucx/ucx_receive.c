/*
 * ucx_receive.c: what arrives. Packets are checked where they lie in UCX's
 * memory, which is theirs until the handler ends.
 */
#include <string.h>

#include "transport/peers.h"
#include "transport/ucx/ucx.h"

/* A payload of which UCX says that there are @kept_bytes, but keeps them. */
static enum stn_err
parse_kept(const struct ucx *ucx, const unsigned char *packet,
	   size_t packet_bytes, size_t kept_bytes, struct stn_parsed *parsed)
{
	enum stn_err err = stn_packet_parse_kept(
		packet, packet_bytes, ucx->opening.topology->nodes, parsed);

	if (!err && parsed->packet.payload_bytes != kept_bytes)
		err = STN_MALFORMED;
	return err;
}

/* Data may be none, and then is nowhere. */
static enum stn_err
parse_eager(const struct ucx *ucx, const unsigned char *packet,
	    size_t packet_bytes, const void *data, size_t data_bytes,
	    struct stn_parsed *parsed)
{
	enum stn_err err;

	parsed->packet.from = 0;
	if (packet_bytes != STN_PACKET_BYTES)
		return STN_MALFORMED;
	err = stn_packet_parse_split(packet, data_bytes ? data : "", data_bytes,
				     ucx->opening.topology->nodes, parsed);
	if (!err && parsed->packet.type == STN_PACKET_OFFER)
		err = STN_MALFORMED; /* it names memory, of which UCX knows */
	return err;
}

/* Of answers nobody but us needs to hear. */
static bool
is_answer(struct ucx *ucx, const struct stn_parsed *parsed)
{
	uint32_t from = parsed->packet.from;

	if (parsed->packet.type != STN_PACKET_DONE)
		return false;
	if (parsed->done.token != UCX_GOODBYE)
		return ucx_answered(ucx, from, &parsed->done);
	stn_peers_lost(&ucx->base, from, "it has closed its endpoint");
	return true;
}

/* What can't be parsed is shown as a message of kind 0, which nobody sends. */
void
ucx_handle(struct ucx *ucx, const unsigned char *head, size_t head_bytes,
	   size_t data_bytes, bool kept, struct ucx_arrival *arrival)
{
	const unsigned char *packet = head + sizeof(ucx->cookie);
	size_t bytes = head_bytes - sizeof(ucx->cookie);
	struct stn_message *message = &arrival->arrival.message;
	struct stn_parsed parsed;
	enum stn_err err;

	if (kept)
		err = parse_kept(ucx, packet, bytes, data_bytes, &parsed);
	else
		err = parse_eager(ucx, packet, bytes, arrival->data, data_bytes,
				  &parsed);
	if (!err && is_answer(ucx, &parsed))
		return;
	message->from = parsed.packet.from;
	ucx->peers[message->from].reached |= !err;
	if (!err && parsed.packet.type != STN_PACKET_DONE) {
		message->kind = parsed.packet.kind;
		message->header = parsed.header;
		message->header_bytes = parsed.packet.header_bytes;
		message->payload_bytes = parsed.packet.payload_bytes;
		arrival->arrival.payload = kept ? NULL : parsed.payload;
		arrival->token = kept ? parsed.token : 0;
	}
	ucx->opening.handler(ucx->opening.arg, message);
}

ucs_status_t
ucx_arrived(void *arg, const void *head, size_t head_bytes, void *data,
	    size_t data_bytes, const ucp_am_recv_param_t *params)
{
	struct ucx *ucx = arg;
	bool kept = params->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV;
	struct ucx_arrival arrival = { .data = data };

	if (ucx->closing || head_bytes < sizeof(ucx->cookie) ||
	    memcmp(head, &ucx->cookie, sizeof(ucx->cookie)))
		return kept ? UCS_ERR_CANCELED : UCS_OK;
	if (ucx->holds)
		return ucx_hold(ucx, head, head_bytes, data, data_bytes, kept);
	ucx_handle(ucx, head, head_bytes, data_bytes, kept, &arrival);
	return arrival.status;
}
