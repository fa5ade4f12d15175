/*
 * ucx_pull.c: large payloads. UCX keeps a payload at its sender until the
 * receiver asks for it, and moves it as its transports do best. Some transports
 * complete the send before the receiver has the whole payload. So the receiver
 * sends a DONE.
 */
#include <string.h>

#include "transport/pieces.h"
#include "transport/ucx/ucx.h"
#include "transport/ucx/ucx_endpoint.h"
#include "transport/ucx/ucx_send.h"

void
ucx_offer(struct stn_transport *transport, uint32_t to, uint8_t kind,
	  const void *header, size_t header_bytes, const struct iovec *pieces,
	  size_t count, stn_done *done, void *arg)
{
	struct ucx *ucx = ucx_of(transport);
	struct ucx_peer *peer = &ucx->peers[to];
	struct ucx_head head =
		ucx_head(peer, STN_PACKET_KEPT, kind, header_bytes,
			 stn_pieces_bytes(pieces, count));
	struct ucx_op *op;
	unsigned char *at;

	if (!ucx_ensure_endpoint(peer)) {
		done(arg, ucx_unreachable_err(peer));
		return;
	}
	op = ucx_op_begin(peer, UCX_OFFER, count, done, arg);
	stn_rendezvous_add(&ucx->rendezvous, &op->offer, to, done, arg);
	op->offer.leaving = true;
	at = mempcpy(op->head, &head, sizeof(head));
	at = stn_append(at, header, header_bytes);
	at = mempcpy(at, &op->offer.token, sizeof(op->offer.token));
	transport->traffic.bytes_copied += header_bytes;
	ucx_op_add_all(op, pieces, count);
	ucx_op_send(op, (size_t)(at - op->head), UCP_AM_SEND_FLAG_RNDV);
}

static void
ucx_received(void *request, ucs_status_t status, size_t bytes, void *user_data)
{
	struct ucx_op *op = user_data;

	(void)bytes;
	op->peer->ucx->library.request_free(request);
	ucx_op_completed(op, status);
}

void
ucx_pull(struct stn_transport *transport, const struct stn_arrival *arrival,
	 const struct iovec *pieces, size_t count, stn_done *done, void *arg)
{
	struct ucx *ucx = ucx_of(transport);
	struct ucx_arrival *mine = (struct ucx_arrival *)arrival;
	struct ucx_peer *peer = &ucx->peers[arrival->message.from];
	struct ucx_op *op;
	struct ucx_data data;

	/* With an endpoint to the sender, UCX reports it if the sender dies. */
	if (!ucx_ensure_endpoint(peer)) {
		ucx_refuse(transport, arrival);
		done(arg, ucx_unreachable_err(peer));
		return;
	}
	op = ucx_op_begin(peer, UCX_PULL, count, done, arg);
	op->token = mine->token;
	ucx_op_add_all(op, pieces, count);
	data = ucx_op_data(op);
	data.params.cb.recv_am = ucx_received;
	mine->status = UCS_INPROGRESS;
	ucx_op_posted(op, ucx->library.am_recv_data_nbx(ucx->worker, mine->data,
							data.buffer, data.count,
							&data.params));
}

/* UCX tells the sender when the handler returns. No endpoint is needed. */
void
ucx_refuse(struct stn_transport *transport, const struct stn_arrival *arrival)
{
	(void)transport;
	((struct ucx_arrival *)arrival)->status = UCS_ERR_REJECTED;
}
