/*
 * ucx_endpoint.h: the functions of ucx_endpoint.c that other files of the
 * backend call.
 */
#ifndef STN_TRANSPORT_UCX_UCX_ENDPOINT_H
#define STN_TRANSPORT_UCX_UCX_ENDPOINT_H

#include "transport/ucx/ucx.h"

/*
 * ucx_make_endpoint: makes an endpoint to a peer that has none. Returns false
 * if none can be made.
 */
bool ucx_make_endpoint(struct ucx_peer *peer);

/*
 * ucx_unreachable_err: the error of operations with a peer without an endpoint.
 */
enum stn_err ucx_unreachable_err(const struct ucx_peer *peer);

/*
 * ucx_close_endpoint: closes the endpoint. UCX then cancels its operations, now
 * or in a later progress. If UCX would abort, the endpoint stays open, and
 * ucx->leaked counts it.
 */
void ucx_close_endpoint(struct ucx_peer *peer);

/* ucx_ensure_endpoint: the same, unless the peer has an endpoint already. */
static inline bool
ucx_ensure_endpoint(struct ucx_peer *peer)
{
	return peer->endpoint || ucx_make_endpoint(peer);
}

#endif
