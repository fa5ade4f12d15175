/* ucx_endpoint.c: makes and closes the endpoints to peers. */
#include "transport/peers.h"
#include "transport/ucx/ucx.h"
#include "transport/ucx/ucx_endpoint.h"

/* UCX calls this when a peer can't be reached any more. */
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

	peer->starved = false;
	if (peer->shut || ucx->closing || !peer->address)
		return false;
	status = ucx->library.ep_create(ucx->worker, &params, &peer->endpoint);
	if (status == UCS_OK)
		return true;
	peer->endpoint = NULL;
	peer->starved = ucx_is_shortage(status);
	if (peer->starved)
		return false;
	peer->shut = true;
	on_error(peer, NULL, status);
	return false;
}

enum stn_err
ucx_unreachable_err(const struct ucx_peer *peer)
{
	if (peer->ucx->closing)
		return STN_CANCELLED;
	return peer->starved ? STN_NO_MEMORY : STN_LOST;
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
		ucx->leaked++;
		return;
	}
	request = ucx->library.ep_close_nbx(endpoint, &params);
	if (UCS_PTR_IS_PTR(request))
		ucx->library.request_free(request);
}
