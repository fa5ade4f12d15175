/*
 * ucx_hold.c: what arrives when nothing may be handled: a dead peer is being
 * forgotten, for which UCX must make progress. It waits for ucx_progress.
 */
#include <stdlib.h>
#include <string.h>

#include "transport/ucx/ucx.h"

struct ucx_held {
	struct ucx_held *next;
	size_t head_bytes, data_bytes;
	void *kept;	       /* UCX's name for a payload it keeps, or NULL */
	unsigned char bytes[]; /* the head, and data that isn't kept */
};

ucs_status_t
ucx_hold(struct ucx *ucx, const void *head, size_t head_bytes, void *data,
	 size_t data_bytes, bool kept)
{
	size_t copied = kept ? 0 : data_bytes;
	struct ucx_held *held = malloc(sizeof(*held) + head_bytes + copied);

	if (!held)
		abort();
	held->next = NULL;
	held->head_bytes = head_bytes;
	held->data_bytes = data_bytes;
	held->kept = kept ? data : NULL;
	memcpy(held->bytes, head, head_bytes);
	if (copied)
		memcpy(held->bytes + head_bytes, data, copied);
	ucx->base.traffic.bytes_copied += copied;
	*ucx->last_held = held;
	ucx->last_held = &held->next;
	return kept ? UCS_INPROGRESS : UCS_OK;
}

/* Of what isn't pulled UCX would tell its sender that it was. */
static void
release(struct ucx *ucx, const struct ucx_arrival *arrival)
{
	if (arrival->status == UCS_ERR_REJECTED)
		ucx_send_done(&ucx->peers[arrival->arrival.message.from],
			      arrival->token, true);
	if (arrival->status != UCS_INPROGRESS)
		ucx->library.am_data_release(ucx->worker, arrival->data);
}

static void
handle(struct ucx *ucx, struct ucx_held *held)
{
	void *data = held->kept ? held->kept : held->bytes + held->head_bytes;
	struct ucx_arrival arrival = { .data = data };

	ucx_handle(ucx, held->bytes, held->head_bytes, held->data_bytes,
		   held->kept, &arrival);
	if (held->kept)
		release(ucx, &arrival);
	free(held);
}

unsigned
ucx_run_held(struct ucx *ucx)
{
	unsigned did = 0;

	for (; ucx->held; did++) {
		struct ucx_held *held = ucx->held;

		ucx->held = held->next;
		if (!ucx->held)
			ucx->last_held = &ucx->held;
		handle(ucx, held);
	}
	return did;
}
