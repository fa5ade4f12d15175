#include "transport/ofi/ofi.h"

#include "transport/peers.h"

#define COMPLETIONS 64 /* read in one call */
#define FAILED_MOST                                                            \
	100000 /* errors handled in one call, when a connection has ended */
#define POLL_MOST_NS 1000000ull

static void
ofi_backlog_put(struct ofi *ofi, struct ofi_op *op)
{
	struct ofi_peer *peer = &ofi->peers[op->to];

	STAILQ_INSERT_TAIL(&peer->backlog, op, waiting);
	ofi->backlogged++;
	if (peer->listed)
		return;
	peer->listed = true;
	ofi->waiting[ofi->waiting_count++] = op->to;
}

static struct ofi_op *
backlog_get(struct ofi *ofi, struct ofi_peer *peer)
{
	struct ofi_op *op = STAILQ_FIRST(&peer->backlog);

	STAILQ_REMOVE_HEAD(&peer->backlog, waiting);
	ofi->backlogged--;
	return op;
}

void
ofi_failed(struct ofi *ofi, uint32_t rank)
{
	if (ofi->closing)
		return;
	ofi->peers[rank].shut = true;
	stn_peers_lost(&ofi->base, rank, "libfabric has lost its connection");
}

/* Ends an operation that libfabric does not have, or has completed. */
static void
ofi_end_op(struct ofi *ofi, struct ofi_op *op, int err)
{
	enum stn_err ours = STN_OK;

	if (err)
		ours = ofi->closing && err == FI_ECANCELED ? STN_CANCELLED
							   : STN_LOST;
	if (op->ended)
		op->ended(ofi, op, ours);
	ofi_pool_put(op->pool, op);
}

bool
ofi_reads_hold(const struct ofi *ofi, uint32_t rank)
{
	const struct ofi_op *op;

	if (!(ofi->provider.traits & OFI_SOCKETS) ||
	    ofi->library.version() >= FI_VERSION(1, 18))
		return false;
	LIST_FOREACH (op, &ofi->posted, posted)
		if (op->reads && (rank == OFI_ALL || op->to == rank))
			return true;
	return false;
}

/*
 * Does libfabric no longer use the memory of operations with a dead peer? If
 * so, the operations end now; their own memory waits in ofi->abandoned for
 * completions that may never arrive.
 *
 * rxm closes the connection, and drops all operations posted on it, when the
 * peer's address is removed (FI_AV_REMOVE_CLEANUP, set in ofi_library.c). But a
 * read in progress may forbid this (ofi_reads_hold). That read ends when the
 * kernel breaks the connection: at once if the peer's process was killed, else
 * after the kernel's own timeout for unacknowledged data.
 *
 * The shm provider's regions are accessed only by the processes at both ends,
 * and the peer's process has ended.
 *
 * All other providers must complete the operation themselves.
 */
static bool
releases_memory(struct ofi *ofi, struct ofi_peer *peer)
{
	uint32_t rank = (uint32_t)(peer - ofi->peers);

	if (!(ofi->provider.traits & OFI_RXM) || !ofi->library.severs)
		return ofi->provider.traits & OFI_FORGETS;
	if (ofi_reads_hold(ofi, rank))
		return false;
	if (peer->address != FI_ADDR_UNSPEC)
		fi_av_remove(ofi->addresses, &peer->address, 1, 0);
	return true;
}

static void
ofi_end_dead(struct ofi *ofi, uint32_t rank)
{
	struct ofi_peer *peer = &ofi->peers[rank];

	if (peer->severed || !releases_memory(ofi, peer))
		return;
	peer->severed = true;
	for (struct ofi_op *op = LIST_FIRST(&ofi->posted), *next; op;
	     op = next) {
		next = LIST_NEXT(op, posted);
		if (op->to != rank)
			continue;
		LIST_REMOVE(op, posted);
		LIST_INSERT_HEAD(&ofi->abandoned, op, posted);
		op->ended(ofi, op, STN_LOST);
		op->ended = NULL;
	}
}

void
ofi_peer_del(struct stn_transport *transport, uint32_t rank)
{
	struct ofi *ofi = ofi_of(transport);
	struct ofi_peer *peer = &ofi->peers[rank];

	peer->shut = peer->dead = true;
	while (!STAILQ_EMPTY(&peer->backlog))
		ofi_end_op(ofi, backlog_get(ofi, peer), FI_EIO);
	ofi_end_dead(ofi, rank);
	stn_rendezvous_abandon(&ofi->rendezvous, rank, STN_LOST);
}

static void
op_completed(struct ofi *ofi, struct ofi_context *context, size_t bytes,
	     int err)
{
	struct ofi_op *op = (struct ofi_op *)context;
	uint32_t to = op->to;

	(void)bytes;
	LIST_REMOVE(op, posted);
	if (err)
		ofi_failed(ofi, to);
	ofi_end_op(ofi, op, err);
	if (ofi->peers[to].dead)
		ofi_end_dead(ofi, to);
}

/* Handles the result of a post other than -FI_EAGAIN. May end the operation. */
static void
posted(struct ofi *ofi, struct ofi_op *op, ssize_t err)
{
	if (!err) {
		LIST_INSERT_HEAD(&ofi->posted, op, posted);
		return;
	}
	ofi_failed(ofi, op->to);
	ofi_end_op(ofi, op, (int)-err);
}

void
ofi_op_init(struct ofi_op *op, struct ofi_pool *pool, uint32_t to,
	    ofi_post *post, ofi_ended *ended)
{
	op->context.completed = op_completed;
	op->post = post;
	op->ended = ended;
	op->pool = pool;
	op->to = to;
	op->reads = false;
}

void
ofi_submit(struct ofi *ofi, struct ofi_op *op)
{
	const struct ofi_peer *peer = &ofi->peers[op->to];
	ssize_t err = -FI_EAGAIN;

	if (ofi->closing || peer->dead) {
		ofi_end_op(ofi, op, FI_ECANCELED);
		return;
	}
	if (ofi_ready(ofi, peer))
		err = op->post(ofi, op);
	if (err == -FI_EAGAIN)
		ofi_backlog_put(ofi, op);
	else
		posted(ofi, op, err);
}

/* Posts the operations in a peer's backlog until libfabric takes no more. */
static unsigned
ofi_backlog_retry(struct ofi *ofi, struct ofi_peer *peer)
{
	unsigned did = 0;

	while (!STAILQ_EMPTY(&peer->backlog) && !peer->shut) {
		struct ofi_op *op = STAILQ_FIRST(&peer->backlog);
		ssize_t err = op->post(ofi, op);

		if (err == -FI_EAGAIN)
			break;
		posted(ofi, backlog_get(ofi, peer), err);
		did++;
	}
	return did;
}

/*
 * A done callback may add peers to the list meanwhile. They are appended, so
 * the loop reaches them.
 */
static unsigned
backlogs_retry(struct ofi *ofi)
{
	unsigned did = 0;

	for (uint32_t i = 0; i < ofi->waiting_count;) {
		struct ofi_peer *peer = &ofi->peers[ofi->waiting[i]];

		did += ofi_backlog_retry(ofi, peer);
		if (!STAILQ_EMPTY(&peer->backlog)) {
			i++;
			continue;
		}
		peer->listed = false;
		ofi->waiting[i] = ofi->waiting[--ofi->waiting_count];
	}
	return did;
}

static unsigned
complete_error(struct ofi *ofi)
{
	struct fi_cq_err_entry entry = { 0 };
	struct ofi_context *context;

	if (fi_cq_readerr(ofi->completions, &entry, 0) != 1)
		return 0;
	context = entry.op_context;
	if (context)
		context->completed(ofi, context, 0,
				   entry.err ? entry.err : FI_EIO);
	return 1;
}

/* Returns what fi_cq_read returns: the number of completions, or an error. */
static ssize_t
complete_some(struct ofi *ofi)
{
	struct fi_cq_msg_entry entries[COMPLETIONS];
	ssize_t got = fi_cq_read(ofi->completions, entries, COMPLETIONS);

	for (ssize_t i = 0; i < got; i++) {
		struct ofi_context *context = entries[i].op_context;

		context->completed(ofi, context, entries[i].len, 0);
	}
	return got;
}

/*
 * When a connection has ended, each operation posted on it completes with an
 * error. All these errors are read before the peer is declared dead.
 */
static unsigned
complete_failed(struct ofi *ofi)
{
	unsigned did = 0;
	ssize_t got;

	while (did < FAILED_MOST && complete_error(ofi)) {
		did++;
		while ((got = complete_some(ofi)) > 0)
			did += (unsigned)got;
		if (got == -FI_EAGAIN)
			break;
	}
	return did;
}

unsigned
ofi_progress(struct stn_transport *transport)
{
	struct ofi *ofi = ofi_of(transport);
	ssize_t got = complete_some(ofi);
	unsigned did = got > 0 ? (unsigned)got : 0;

	if (got < 0 && got != -FI_EAGAIN)
		did = complete_failed(ofi);
	if (ofi->waiting_count && !ofi->closing)
		did += backlogs_retry(ofi);
	if (ofi->unposted)
		ofi_post_rest(ofi);
	if (did)
		ofi->interval_ns = OFI_POLL_LEAST_NS;
	return did;
}

static void
ofi_cancel_ops(struct ofi *ofi, struct ofi_ops *ops)
{
	struct ofi_op *op;

	while ((op = LIST_FIRST(ops))) {
		LIST_REMOVE(op, posted);
		ofi_end_op(ofi, op, FI_ECANCELED);
	}
}

void
ofi_cancel_rest(struct ofi *ofi)
{
	for (uint32_t i = 0; i < ofi->base.nodes; i++) {
		struct ofi_peer *peer = &ofi->peers[i];

		while (!STAILQ_EMPTY(&peer->backlog))
			ofi_end_op(ofi, backlog_get(ofi, peer), FI_ECANCELED);
	}
	ofi_cancel_ops(ofi, &ofi->posted);
	ofi_cancel_ops(ofi, &ofi->abandoned);
}

/*
 * Without a descriptor to sleep on, polls less often the longer nothing
 * happens.
 */
static uint64_t
next_interval(struct ofi *ofi)
{
	uint64_t interval = ofi->interval_ns;

	if (interval < POLL_MOST_NS)
		ofi->interval_ns += interval / 8;
	return interval;
}

bool
ofi_waits(const struct stn_transport *transport)
{
	const struct ofi *ofi = (const struct ofi *)transport;

	return ofi->backlogged || ofi->unposted;
}

uint64_t
ofi_arm(struct stn_transport *transport)
{
	struct ofi *ofi = ofi_of(transport);
	struct fid *fids[] = { &ofi->completions->fid };

	if (transport->limits.fd < 0)
		return next_interval(ofi);
	if (fi_trywait(ofi->fabric, fids, 1))
		return STN_NOT_NOW;
	/* Operations in a backlog may become possible without an event. */
	return ofi_waits(transport) ? POLL_MOST_NS : STN_FOREVER;
}
