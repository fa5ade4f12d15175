/*
 * ucx_receive.c: receives messages. Packets are parsed in UCX's memory, which
 * is valid until the handler returns. Messages that arrive while handlers may
 * not run, because UCX's progress is called to forget a dead peer, are copied,
 * and wait for ucx_progress.
 */
#include <stdlib.h>
#include <string.h>

#include "transport/peers.h"
#include "transport/ucx/ucx.h"
#include "transport/ucx/ucx_send.h"

#define UCX_PREFETCH_BYTES 1024
#define UCX_LINE_BYTES 64

struct ucx_deferred {
	STAILQ_ENTRY(ucx_deferred) link;
	size_t head_bytes, data_bytes;
	void *kept; /* UCX's handle of a payload that it keeps, or NULL */
	unsigned char bytes[]; /* the head, and data that UCX does not keep */
};

/* Parses the packet of a payload of @kept_bytes, which UCX keeps. */
static enum stn_err
ucx_parse_kept(const struct ucx *ucx, const unsigned char *packet,
	       size_t packet_bytes, size_t kept_bytes,
	       struct stn_parsed *parsed)
{
	enum stn_err err = stn_packet_parse_kept(packet, packet_bytes,
						 ucx->base.nodes, parsed);

	if (!err && parsed->packet.payload_bytes != kept_bytes)
		err = STN_MALFORMED;
	return err;
}

/* @data may be NULL if @data_bytes is 0. */
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
				     ucx->base.nodes, parsed);
	if (!err && parsed->packet.type == STN_PACKET_OFFER)
		err = STN_MALFORMED; /* UCX has no regions */
	return err;
}

/* Handles answers, which the endpoint's handler does not see. */
static bool
is_answer(struct ucx *ucx, const struct stn_parsed *parsed)
{
	uint32_t from = parsed->packet.from;

	if (parsed->packet.type != STN_PACKET_DONE)
		return false;
	if (parsed->done.token != UCX_GOODBYE)
		return stn_rendezvous_answer(&ucx->rendezvous, from,
					     &parsed->done);
	stn_peers_lost(&ucx->base, from, "it has closed its endpoint");
	return true;
}

/*
 * Parses a message. Passes it to the endpoint's handler, or handles it if it is
 * an answer. The caller sets arrival->data; the rest is filled in here.
 */
static void
ucx_handle(struct ucx *ucx, const unsigned char *head, size_t head_bytes,
	   size_t data_bytes, bool kept, struct ucx_arrival *arrival)
{
	const unsigned char *packet = head + sizeof(ucx->cookie);
	size_t bytes = head_bytes - sizeof(ucx->cookie);
	struct stn_parsed parsed;
	enum stn_err err;

	if (kept)
		err = ucx_parse_kept(ucx, packet, bytes, data_bytes, &parsed);
	else
		err = parse_eager(ucx, packet, bytes, arrival->data, data_bytes,
				  &parsed);
	if (!err && is_answer(ucx, &parsed))
		return;
	ucx->peers[parsed.packet.from].reached |= !err;
	if (err || parsed.packet.type == STN_PACKET_DONE) {
		stn_packet_malformed(&ucx->base.opening, parsed.packet.from);
		return;
	}
	arrival->arrival.message = stn_packet_message(&parsed);
	arrival->arrival.payload = kept ? NULL : parsed.payload;
	arrival->token = kept ? parsed.token : 0;
	ucx->base.opening.handler(ucx->base.opening.arg,
				  &arrival->arrival.message);
}

/*
 * Copies a message, which ucx_run_deferred will handle. Returns the status for
 * UCX.
 */
static ucs_status_t
ucx_defer(struct ucx *ucx, const void *head, size_t head_bytes, void *data,
	  size_t data_bytes, bool kept)
{
	size_t copied = kept ? 0 : data_bytes;
	struct ucx_deferred *deferred =
		stn_or_abort(malloc(sizeof(*deferred) + head_bytes + copied));

	deferred->head_bytes = head_bytes;
	deferred->data_bytes = data_bytes;
	deferred->kept = kept ? data : NULL;
	stn_append(stn_append(deferred->bytes, head, head_bytes), data, copied);
	ucx->base.traffic.bytes_copied += copied;
	STAILQ_INSERT_TAIL(&ucx->deferred, deferred, link);
	return kept ? UCS_INPROGRESS : UCS_OK;
}

/*
 * Begins to fetch the data of an eager message. In UCX's shared memory the AM
 * header lies behind the data. Without this the processor would wait for the
 * AM header's cache line first, and then for those of the data.
 */
static inline void
ucx_prefetch(const unsigned char *data, size_t bytes)
{
	if (bytes > UCX_PREFETCH_BYTES)
		bytes = UCX_PREFETCH_BYTES;
	for (size_t at = 0; at < bytes; at += UCX_LINE_BYTES)
		__builtin_prefetch(data + at);
}

ucs_status_t
ucx_arrived(void *arg, const void *head, size_t head_bytes, void *data,
	    size_t data_bytes, const ucp_am_recv_param_t *params)
{
	struct ucx *ucx = arg;
	bool kept = params->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV;
	struct ucx_arrival arrival = { .data = data };

	if (!kept)
		ucx_prefetch(data, data_bytes);
	if (ucx->closing || head_bytes < sizeof(ucx->cookie) ||
	    memcmp(head, &ucx->cookie, sizeof(ucx->cookie)))
		return kept ? UCS_ERR_CANCELED : UCS_OK;
	if (ucx->defers)
		return ucx_defer(ucx, head, head_bytes, data, data_bytes, kept);
	ucx_handle(ucx, head, head_bytes, data_bytes, kept, &arrival);
	return arrival.status;
}

/*
 * Releases a payload that was not pulled. A refused one needs an explicit
 * answer: UCX would tell the sender that it was received.
 */
static void
ucx_release(struct ucx *ucx, const struct ucx_arrival *arrival)
{
	if (arrival->status == UCS_ERR_REJECTED)
		ucx_send_done(&ucx->peers[arrival->arrival.message.from],
			      arrival->token, true);
	if (arrival->status != UCS_INPROGRESS)
		ucx->library.am_data_release(ucx->worker, arrival->data);
}

static void
ucx_deferred_handle(struct ucx *ucx, struct ucx_deferred *deferred)
{
	void *data = deferred->kept ? deferred->kept
				    : deferred->bytes + deferred->head_bytes;
	struct ucx_arrival arrival = { .data = data };

	ucx_handle(ucx, deferred->bytes, deferred->head_bytes,
		   deferred->data_bytes, deferred->kept, &arrival);
	if (deferred->kept)
		ucx_release(ucx, &arrival);
	free(deferred);
}

unsigned
ucx_run_deferred(struct ucx *ucx)
{
	struct ucx_deferred *deferred;
	unsigned did = 0;

	for (; (deferred = STAILQ_FIRST(&ucx->deferred)); did++) {
		STAILQ_REMOVE_HEAD(&ucx->deferred, link);
		ucx_deferred_handle(ucx, deferred);
	}
	return did;
}
