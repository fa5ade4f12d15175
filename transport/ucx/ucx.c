#include "transport/ucx/ucx.h"

#include <stdlib.h>
#include <string.h>

#include "transport/peers.h"
#include "transport/pieces.h"

#define PATIENCE 1000 /* calls of progress that take no time */

static struct ucx_op **
list_of(struct ucx_op *op)
{
	return op->what == UCX_OFFER ? &op->peer->offers : &op->peer->ops;
}

static void
link_op(struct ucx_op *op)
{
	struct ucx_op **list = list_of(op);

	op->next = *list;
	op->previous = list;
	if (op->next)
		op->next->previous = &op->next;
	*list = op;
}

static void
unlink_op(struct ucx_op *op)
{
	*op->previous = op->next;
	if (op->next)
		op->next->previous = op->previous;
}

/* A transport can't go on without memory for what it has promised to do. */
static struct ucx_op *
take_op(struct ucx *ucx)
{
	struct ucx_op *op = ucx->free;

	if (op) {
		ucx->free = op->next;
		return op;
	}
	op = calloc(1, sizeof(*op));
	if (!op)
		abort();
	return op;
}

static void
make_room(struct ucx_op *op, size_t count)
{
	if (count < UCX_PIECES)
		count = UCX_PIECES;
	if (count <= op->room)
		return;
	free(op->pieces);
	op->pieces = malloc(count * sizeof(op->pieces[0]));
	if (!op->pieces)
		abort();
	op->room = count;
}

struct ucx_op *
ucx_op_begin(struct ucx_peer *peer, enum ucx_what what, size_t count,
	     stn_done *done, void *arg)
{
	struct ucx_op *op = take_op(peer->ucx);

	make_room(op, count);
	op->peer = peer;
	op->what = what;
	op->posted = true;
	op->answered = false;
	op->err = STN_OK;
	op->done = done;
	op->arg = arg;
	op->count = 0;
	link_op(op);
	peer->ucx->under_way++;
	return op;
}

/* UCX needn't see empty pieces. */
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

void
ucx_op_end(struct ucx_op *op, enum stn_err err)
{
	struct ucx *ucx = op->peer->ucx;

	op->err = err;
	unlink_op(op);
	op->next = NULL;
	*ucx->last_ended = op;
	ucx->last_ended = &op->next;
}

static enum stn_err
translate(const struct ucx *ucx, ucs_status_t status)
{
	if (status == UCS_OK)
		return STN_OK;
	if (status == UCS_ERR_REJECTED)
		return STN_REFUSED;
	return ucx->closing ? STN_CANCELLED : STN_LOST;
}

void
ucx_op_completed(struct ucx_op *op, ucs_status_t status)
{
	op->posted = false;
	op->peer->reached = op->peer->reached || status == UCS_OK;
	if (status != UCS_OK)
		ucx_op_end(op, translate(op->peer->ucx, status));
	else if (op->what != UCX_OFFER || op->answered)
		ucx_op_end(op, op->err);
}

void
ucx_op_posted(struct ucx_op *op, ucs_status_ptr_t request)
{
	if (!UCS_PTR_IS_PTR(request))
		ucx_op_completed(op, UCS_PTR_STATUS(request));
	else
		op->peer->ucx->queued = true;
}

/* Tells an end, after what its peer must know of it. */
static void
tell(struct ucx *ucx, struct ucx_op *op)
{
	stn_done *done = op->done;
	void *arg = op->arg;
	enum stn_err err = op->err;

	if (op->what == UCX_PULL)
		ucx_send_done(op->peer, op->token, err != STN_OK);
	op->next = ucx->free;
	ucx->free = op;
	ucx->under_way--;
	if (done)
		done(arg, err);
}

unsigned
ucx_run_ended(struct ucx *ucx)
{
	unsigned did = 0;

	if (ucx->telling)
		return 0;
	ucx->telling = true;
	for (; ucx->ended; did++) {
		struct ucx_op *op = ucx->ended;

		ucx->ended = op->next;
		if (!ucx->ended)
			ucx->last_ended = &ucx->ended;
		tell(ucx, op);
	}
	ucx->telling = false;
	return did;
}

/* UCX's news that a peer can't be reached any more. */
static void
on_error(void *arg, ucp_ep_h endpoint, ucs_status_t status)
{
	struct ucx_peer *peer = arg;
	struct ucx *ucx = peer->ucx;

	(void)endpoint;
	stn_peers_lost(&ucx->base, (uint32_t)(peer - ucx->peers),
		       ucx->library.status_string(status));
}

bool
ucx_make_endpoint(struct ucx_peer *peer)
{
	ucp_ep_params_t params = {
		.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS |
			      UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
			      UCP_EP_PARAM_FIELD_ERR_HANDLER,
		.address = (const ucp_address_t *)peer->address,
		.err_mode = UCP_ERR_HANDLING_MODE_PEER,
		.err_handler = { on_error, peer },
	};
	struct ucx *ucx = peer->ucx;
	ucs_status_t status;

	if (peer->shut || ucx->closing || !peer->address)
		return false;
	status = ucx->library.ep_create(ucx->worker, &params, &peer->endpoint);
	if (status == UCS_OK)
		return true;
	peer->endpoint = NULL;
	peer->shut = true;
	on_error(peer, NULL, status);
	return false;
}

static void
sent(void *request, ucs_status_t status, void *user_data)
{
	struct ucx_op *op = user_data;

	op->peer->ucx->library.request_free(request);
	ucx_op_completed(op, status);
}

void
ucx_op_send(struct ucx_op *op, size_t head_bytes, unsigned flags)
{
	struct ucx_data data = ucx_op_data(op);

	data.params.cb.send = sent;
	data.params.flags = flags;
	ucx_op_posted(op, op->peer->ucx->library.am_send_nbx(
				  op->peer->endpoint, UCX_MESSAGE, op->head,
				  head_bytes, data.buffer, data.count,
				  &data.params));
}

/*
 * What UCX takes at once leaves without an operation, or any memory of ours.
 * Then it keeps nothing of it, and the head may lie on the stack.
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

/* Sends bytes that nobody keeps for us: they are copied. */
static void
send_copy(struct ucx_peer *peer, const struct ucx_head *head, const void *bytes,
	  size_t size)
{
	struct ucx_op *op = ucx_op_begin(peer, UCX_SEND, 1, NULL, NULL);
	unsigned char *at = mempcpy(op->head, head, sizeof(*head));

	if (size)
		memcpy(at, bytes, size);
	op_add(op, at, size);
	ucx_op_send(op, sizeof(*head), UCP_AM_SEND_FLAG_EAGER);
}

void
ucx_send_done(struct ucx_peer *peer, uint64_t token, uint64_t status)
{
	struct ucx_head head = ucx_head(peer, STN_PACKET_DONE, 0, 0, 0);
	struct stn_done_block block = { token, status };

	if (ucx_reach(peer) && !send_now(peer, &head, &block, sizeof(block)))
		send_copy(peer, &head, &block, sizeof(block));
}

/* Over shared memory there is no connection that breaks. */
void
ucx_say_goodbye(struct ucx_peer *peer)
{
	struct ucx_head head = ucx_head(peer, STN_PACKET_DONE, 0, 0, 0);
	struct stn_done_block block = { UCX_GOODBYE, 0 };

	if (peer->endpoint)
		send_now(peer, &head, &block, sizeof(block));
}

enum stn_err
ucx_no_way(const struct ucx *ucx)
{
	return ucx->closing ? STN_CANCELLED : STN_LOST;
}

/* Sends from where everything lies. Who waits for its end may not progress. */
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
	enum stn_err err = ucx_reach(peer) ? STN_OK : ucx_no_way(peer->ucx);

	if (err || (!payload && send_now(peer, &head, header, header_bytes))) {
		if (done)
			done(arg, err);
		return;
	}
	if (done) {
		send_gathered(peer, &head, header, pieces, count, done, arg);
		return;
	}
	transport->traffic.bytes_copied += header_bytes;
	send_copy(peer, &head, header, header_bytes);
}

unsigned
ucx_progress(struct stn_transport *transport)
{
	struct ucx *ucx = ucx_of(transport);
	unsigned did = ucx->held ? ucx_run_held(ucx) : 0;

	did += ucx->library.worker_progress(ucx->worker);
	return ucx->ended ? did + ucx_run_ended(ucx) : did;
}

bool
ucx_waits(const struct stn_transport *transport)
{
	const struct ucx *ucx = (const struct ucx *)transport;

	return ucx->queued || ucx->ended || ucx->held;
}

/* Looks once more, as soft RoCE wakes nobody for what came just before. */
static bool
missed(struct ucx *ucx)
{
	unsigned did;

	ucx->holds = true;
	did = ucx->library.worker_progress(ucx->worker);
	ucx->holds = false;
	return did || ucx->ended || ucx->held;
}

/* UCX looks itself whether anything keeps it from sleeping. */
uint64_t
ucx_arm(struct stn_transport *transport)
{
	struct ucx *ucx = ucx_of(transport);

	if (ucx->ended || ucx->held ||
	    ucx->library.worker_arm(ucx->worker) != UCS_OK || missed(ucx))
		return STN_NOT_NOW;
	ucx->queued = false;
	return STN_FOREVER;
}

void
ucx_close_endpoint(struct ucx_peer *peer)
{
	static const ucp_request_param_t params = {
		.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
		.flags = UCP_EP_CLOSE_FLAG_FORCE,
	};
	struct ucx *ucx = peer->ucx;
	ucp_ep_h endpoint = peer->endpoint;
	ucs_status_ptr_t request;

	if (!endpoint)
		return;
	peer->endpoint = NULL;
	if (ucx->aborts && !peer->reached) {
		ucx->left++;
		return;
	}
	request = ucx->library.ep_close_nbx(endpoint, &params);
	if (UCS_PTR_IS_PTR(request))
		ucx->library.request_free(request);
}

void
ucx_end_unanswered(struct ucx_peer *peer, enum stn_err err)
{
	struct ucx_op *op = peer->offers, *next;

	for (; op; op = next) {
		next = op->next;
		if (!op->posted)
			ucx_op_end(op, err);
	}
}

/*
 * UCX ends what it has itself, but in its progress. So that all has ended when
 * the news is told, it gets some, in which nothing is handled.
 */
void
ucx_peer_del(struct stn_transport *transport, uint32_t rank)
{
	struct ucx *ucx = ucx_of(transport);
	struct ucx_peer *peer = &ucx->peers[rank];

	peer->shut = true;
	ucx_end_unanswered(peer, STN_LOST);
	ucx_close_endpoint(peer);
	ucx->holds = true;
	for (unsigned i = 0; (peer->ops || peer->offers) && i < PATIENCE; i++)
		ucx->library.worker_progress(ucx->worker);
	ucx->holds = false;
	ucx_run_ended(ucx);
}
