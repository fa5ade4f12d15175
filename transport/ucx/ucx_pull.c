/*
 * ucx_pull.c: large payloads. UCX keeps them at their sender until the receiver
 * asks for them, and moves them as its transports do best. Depending on that it
 * calls a send done before the receiver has all; so the receiver says so.
 */
#include <string.h>

#include "transport/pieces.h"
#include "transport/ucx/ucx.h"

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

	if (!ucx_reach(peer)) {
		done(arg, ucx_no_way(ucx));
		return;
	}
	op = ucx_op_begin(peer, UCX_OFFER, count, done, arg);
	op->token = ++ucx->last_token;
	at = mempcpy(op->head, &head, sizeof(head));
	if (header_bytes)
		at = mempcpy(at, header, header_bytes);
	at = mempcpy(at, &op->token, sizeof(op->token));
	transport->traffic.bytes_copied += header_bytes;
	ucx_op_add_all(op, pieces, count);
	ucx_op_send(op, (size_t)(at - op->head), UCP_AM_SEND_FLAG_RNDV);
}

bool
ucx_answered(struct ucx *ucx, uint32_t rank, const struct stn_done_block *block)
{
	struct ucx_op *op = ucx->peers[rank].offers;

	while (op && (op->token != block->token || op->answered))
		op = op->next;
	if (!op)
		return false;
	op->answered = true;
	op->err = block->status ? STN_REFUSED : STN_OK;
	if (!op->posted)
		ucx_op_end(op, op->err);
	return true;
}

static void
received(void *request, ucs_status_t status, size_t bytes, void *user_data)
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

	/* With an endpoint of ours to it UCX tells us if it dies meanwhile. */
	if (!ucx_reach(peer)) {
		ucx_refuse(transport, arrival);
		done(arg, ucx_no_way(ucx));
		return;
	}
	op = ucx_op_begin(peer, UCX_PULL, count, done, arg);
	op->token = mine->token;
	ucx_op_add_all(op, pieces, count);
	data = ucx_op_data(op);
	data.params.cb.recv_am = received;
	mine->status = UCS_INPROGRESS;
	ucx_op_posted(op, ucx->library.am_recv_data_nbx(ucx->worker, mine->data,
							data.buffer, data.count,
							&data.params));
}

/* UCX lets the sender know, whoever it is, when our handler returns. */
void
ucx_refuse(struct stn_transport *transport, const struct stn_arrival *arrival)
{
	(void)transport;
	((struct ucx_arrival *)arrival)->status = UCS_ERR_REJECTED;
}
