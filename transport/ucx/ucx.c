#include "transport/ucx/ucx.h"
#include "transport/ucx/ucx_endpoint.h"
#include "transport/ucx/ucx_send.h"

#define PATIENCE 1000 /* calls of progress, a short time */

unsigned
ucx_progress(struct stn_transport *transport)
{
	struct ucx *ucx = ucx_of(transport);
	unsigned did = STAILQ_EMPTY(&ucx->deferred) ? 0 : ucx_run_deferred(ucx);

	did += ucx->library.worker_progress(ucx->worker);
	return STAILQ_EMPTY(&ucx->ended) ? did : did + ucx_run_ended(ucx);
}

/* Does this backend have work of its own, which UCX doesn't know about? */
static bool
has_own_work(const struct ucx *ucx)
{
	return !STAILQ_EMPTY(&ucx->ended) || !STAILQ_EMPTY(&ucx->deferred);
}

/*
 * UCX may need its progress for operations that it has queued. When no operation
 * is under way, it needs none.
 */
bool
ucx_waits(const struct stn_transport *transport)
{
	const struct ucx *ucx = (const struct ucx *)transport;

	return (ucx->queued && ucx->under_way) || has_own_work(ucx);
}

/*
 * Calls progress once more after arming: soft RoCE gives no event for messages
 * that arrived just before.
 */
static bool
missed_event(struct ucx *ucx)
{
	unsigned did;

	ucx->defers = true;
	did = ucx->library.worker_progress(ucx->worker);
	ucx->defers = false;
	return did || has_own_work(ucx);
}

/* UCX itself checks whether it has work that forbids sleeping. */
uint64_t
ucx_arm(struct stn_transport *transport)
{
	struct ucx *ucx = ucx_of(transport);

	if (has_own_work(ucx) ||
	    ucx->library.worker_arm(ucx->worker) != UCS_OK || missed_event(ucx))
		return STN_NOT_NOW;
	ucx->queued = false;
	return STN_FOREVER;
}

/*
 * UCX ends the operations that it has, but only inside its progress. So this
 * calls UCX's progress, with handlers deferred, until all operations have
 * ended: then the peer event can be reported.
 */
void
ucx_peer_del(struct stn_transport *transport, uint32_t rank)
{
	struct ucx *ucx = ucx_of(transport);
	struct ucx_peer *peer = &ucx->peers[rank];

	peer->shut = true;
	stn_rendezvous_abandon(&ucx->rendezvous, rank, STN_LOST);
	ucx_close_endpoint(peer);
	ucx->defers = true;
	for (unsigned i = 0; !LIST_EMPTY(&peer->ops) && i < PATIENCE; i++)
		ucx->library.worker_progress(ucx->worker);
	ucx->defers = false;
	ucx_run_ended(ucx);
}
