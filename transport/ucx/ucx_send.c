/*
 * ucx_send.c: operations, from their begin to the report of their end, and the
 * sends of small messages.
 */
#include <stdlib.h>
#include <string.h>

#include "transport/pieces.h"
#include "transport/ucx/ucx.h"
#include "transport/ucx/ucx_endpoint.h"
#include "transport/ucx/ucx_send.h"

static struct ucx_op *
take_op(struct ucx *ucx)
{
	struct ucx_op *op = STAILQ_FIRST(&ucx->free);

	if (!op)
		return stn_or_abort(calloc(1, sizeof(*op)));
	STAILQ_REMOVE_HEAD(&ucx->free, link);
	return op;
}

static void
ucx_make_room(struct ucx_op *op, size_t count)
{
	if (count < UCX_PIECES)
		count = UCX_PIECES;
	if (count <= op->room)
		return;
	free(op->pieces);
	op->pieces = stn_or_abort(malloc(count * sizeof(op->pieces[0])));
	op->room = count;
}

struct ucx_op *
ucx_op_begin(struct ucx_peer *peer, enum ucx_op_type type, size_t count,
	     stn_done *done, void *arg)
{
	struct ucx_op *op = take_op(peer->ucx);

	ucx_make_room(op, count);
	op->peer = peer;
	op->type = type;
	op->done = done;
	op->arg = arg;
	op->count = 0;
	LIST_INSERT_HEAD(&peer->ops, op, posted);
	peer->ucx->under_way++;
	return op;
}

/* Adds a piece unless it is empty. */
static void
op_add(struct ucx_op *op, const void *bytes, size_t size)
{
	if (size)
		op->pieces[op->count++] = (ucp_dt_iov_t){ (void *)bytes, size };
}

void
ucx_op_add_all(struct ucx_op *op, const struct iovec *pieces, size_t count)
{
	for (size_t i = 0; i < count; i++)
		op_add(op, pieces[i].iov_base, pieces[i].iov_len);
}

struct ucx_data
ucx_op_data(const struct ucx_op *op)
{
	struct ucx_data data = {
		.params = {
			.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK |
					UCP_OP_ATTR_FIELD_USER_DATA |
					UCP_OP_ATTR_FIELD_FLAGS |
					UCP_OP_ATTR_FIELD_MEMORY_TYPE,
			.user_data = (void *)op,
			.memory_type = UCS_MEMORY_TYPE_HOST,
		},
	};

	if (op->count == 1) {
		data.buffer = op->pieces[0].buffer;
		data.count = op->pieces[0].length;
	} else if (op->count) {
		data.buffer = op->pieces;
		data.count = op->count;
		data.params.op_attr_mask |= UCP_OP_ATTR_FIELD_DATATYPE;
		data.params.datatype = ucp_dt_make_iov();
	}
	return data;
}

/* Queues the operation, whose end ucx_run_ended will report. */
static void
op_end(struct ucx_op *op, enum stn_err err)
{
	struct ucx *ucx = op->peer->ucx;

	op->err = err;
	STAILQ_INSERT_TAIL(&ucx->ended, op, link);
}

void
ucx_offer_ended(struct stn_transport *transport, struct stn_offer *ended,
		enum stn_err err)
{
	(void)transport;
	op_end((struct ucx_op *)ended, err);
}

static enum stn_err
translate(const struct ucx *ucx, ucs_status_t status)
{
	if (status == UCS_OK)
		return STN_OK;
	if (status == UCS_ERR_REJECTED)
		return STN_REFUSED;
	if (ucx->closing)
		return STN_CANCELLED;
	return ucx_is_shortage(status) ? STN_NO_MEMORY : STN_LOST;
}

/*
 * A message without a done callback has not left, because of @err. Nobody would
 * learn that it is missing although its receiver lives. UCX has no memory for
 * so few bytes, so the process ends, as where malloc has none.
 */
static void
abort_if_starved(enum stn_err err)
{
	if (err == STN_NO_MEMORY)
		stn_or_abort(NULL);
}

void
ucx_op_completed(struct ucx_op *op, ucs_status_t status)
{
	enum stn_err err = translate(op->peer->ucx, status);

	if (!op->done)
		abort_if_starved(err);
	LIST_REMOVE(op, posted);
	op->peer->reached |= !err;
	if (op->type == UCX_OFFER)
		stn_offer_left(op, err);
	else
		op_end(op, err);
}

void
ucx_op_posted(struct ucx_op *op, ucs_status_ptr_t request)
{
	if (!UCS_PTR_IS_PTR(request))
		ucx_op_completed(op, UCS_PTR_STATUS(request));
	else
		op->peer->ucx->queued = true;
}

/*
 * Calls the operation's done, after telling the peer about the end of a pull.
 */
static void
ucx_report_end(struct ucx *ucx, struct ucx_op *op)
{
	stn_done *done = op->done;
	void *arg = op->arg;
	enum stn_err err = op->err;

	if (op->type == UCX_PULL)
		ucx_send_done(op->peer, op->token, err != STN_OK);
	STAILQ_INSERT_HEAD(&ucx->free, op, link);
	ucx->under_way--;
	if (done)
		done(arg, err);
}

unsigned
ucx_run_ended(struct ucx *ucx)
{
	struct ucx_op *op;
	unsigned did = 0;

	if (ucx->reporting)
		return 0;
	ucx->reporting = true;
	for (; (op = STAILQ_FIRST(&ucx->ended)); did++) {
		STAILQ_REMOVE_HEAD(&ucx->ended, link);
		ucx_report_end(ucx, op);
	}
	ucx->reporting = false;
	return did;
}

static void
ucx_sent(void *request, ucs_status_t status, void *user_data)
{
	struct ucx_op *op = user_data;

	op->peer->ucx->library.request_free(request);
	ucx_op_completed(op, status);
}

void
ucx_op_send(struct ucx_op *op, size_t head_bytes, unsigned flags)
{
	struct ucx_data data = ucx_op_data(op);

	data.params.cb.send = ucx_sent;
	data.params.flags = flags;
	ucx_op_posted(op, op->peer->ucx->library.am_send_nbx(
				  op->peer->endpoint, UCX_MESSAGE, op->head,
				  head_bytes, data.buffer, data.count,
				  &data.params));
}

/*
 * Sends a message that UCX can take at once, without an operation. UCX then
 * keeps no pointers, so the head may be on the stack.
 */
static inline bool
send_now(struct ucx_peer *peer, const struct ucx_head *head, const void *bytes,
	 size_t size)
{
	static const ucp_request_param_t params = {
		.op_attr_mask = UCP_OP_ATTR_FLAG_FORCE_IMM_CMPL,
	};

	return !peer->ucx->library.am_send_nbx(peer->endpoint, UCX_MESSAGE,
					       head, sizeof(*head), bytes, size,
					       &params);
}

/* Sends a copy: a caller without @done may reuse its bytes at once. */
static void
send_copy(struct ucx_peer *peer, const struct ucx_head *head, const void *bytes,
	  size_t size)
{
	struct ucx_op *op = ucx_op_begin(peer, UCX_SEND, 1, NULL, NULL);
	unsigned char *at = mempcpy(op->head, head, sizeof(*head));

	stn_append(at, bytes, size);
	op_add(op, at, size);
	ucx_op_send(op, sizeof(*head), UCP_AM_SEND_FLAG_EAGER);
}

void
ucx_send_done(struct ucx_peer *peer, uint64_t token, uint64_t status)
{
	struct ucx_head head = ucx_head(peer, STN_PACKET_DONE, 0, 0, 0);
	struct stn_done_block block = { token, status };

	if (!ucx_ensure_endpoint(peer))
		abort_if_starved(ucx_unreachable_err(peer));
	else if (!send_now(peer, &head, &block, sizeof(block)))
		send_copy(peer, &head, &block, sizeof(block));
}

/* Needed over shared memory, where no connection breaks when a peer closes. */
void
ucx_say_goodbye(struct ucx_peer *peer)
{
	struct ucx_head head = ucx_head(peer, STN_PACKET_DONE, 0, 0, 0);
	struct stn_done_block block = { UCX_GOODBYE, 0 };

	if (peer->endpoint)
		send_now(peer, &head, &block, sizeof(block));
}

/*
 * Sends from the caller's memory. Reports ended operations at once, because the
 * caller may wait for @done without calling progress.
 */
static void
send_gathered(struct ucx_peer *peer, const struct ucx_head *head,
	      const void *header, const struct iovec *pieces, size_t count,
	      stn_done *done, void *arg)
{
	struct ucx_op *op = ucx_op_begin(peer, UCX_SEND, count + 1, done, arg);

	memcpy(op->head, head, sizeof(*head));
	op_add(op, header, head->packet.header_bytes);
	ucx_op_add_all(op, pieces, count);
	ucx_op_send(op, sizeof(*head), UCP_AM_SEND_FLAG_EAGER);
	ucx_run_ended(peer->ucx);
}

void
ucx_send(struct stn_transport *transport, uint32_t to, uint8_t kind,
	 const void *header, size_t header_bytes, const struct iovec *pieces,
	 size_t count, stn_done *done, void *arg)
{
	struct ucx_peer *peer = &ucx_of(transport)->peers[to];
	size_t payload = count ? stn_pieces_bytes(pieces, count) : 0;
	struct ucx_head head =
		ucx_head(peer, STN_PACKET_EAGER, kind, header_bytes, payload);
	enum stn_err err = ucx_ensure_endpoint(peer)
				   ? STN_OK
				   : ucx_unreachable_err(peer);

	if (err || (!payload && send_now(peer, &head, header, header_bytes))) {
		if (done)
			done(arg, err);
		else
			abort_if_starved(err);
		return;
	}
	if (done) {
		send_gathered(peer, &head, header, pieces, count, done, arg);
		return;
	}
	transport->traffic.bytes_copied += header_bytes;
	send_copy(peer, &head, header, header_bytes);
}
