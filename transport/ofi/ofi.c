#include "transport/ofi/ofi.h"

#include "transport/peers.h"

#define COMPLETIONS 64	   /* read at once */
#define FAILED_MOST 100000 /* read at once, if a connection has ended */
#define POLL_MOST_NS 1000000ull

static void
backlog_put(struct ofi *ofi, struct ofi_op *op)
{
	struct ofi_peer *peer = &ofi->peers[op->to];

	op->next = NULL;
	*peer->last = op;
	peer->last = &op->next;
	ofi->backlogged++;
	if (peer->listed)
		return;
	peer->listed = true;
	ofi->waiting[ofi->waiting_count++] = op->to;
}

static struct ofi_op *
backlog_get(struct ofi *ofi, struct ofi_peer *peer)
{
	struct ofi_op *op = peer->first;

	peer->first = op->next;
	if (!peer->first)
		peer->last = &peer->first;
	ofi->backlogged--;
	return op;
}

static void
link_op(struct ofi_op **list, struct ofi_op *op)
{
	op->next = *list;
	op->previous = list;
	if (op->next)
		op->next->previous = &op->next;
	*list = op;
}

static void
unlink_op(struct ofi_op *op)
{
	*op->previous = op->next;
	if (op->next)
		op->next->previous = op->previous;
}

void
ofi_failed(struct ofi *ofi, uint32_t rank)
{
	if (ofi->closing)
		return;
	ofi->peers[rank].shut = true;
	stn_peers_lost(&ofi->base, rank, "libfabric has lost its connection");
}

/* Ends an operation that libfabric hasn't got, or not any more. */
static void
end_op(struct ofi *ofi, struct ofi_op *op, int err)
{
	enum stn_err ours = STN_OK;

	if (err)
		ours = ofi->closing && err == FI_ECANCELED ? STN_CANCELLED
							   : STN_LOST;
	if (op->ended)
		op->ended(ofi, op, ours);
	ofi_spares_give(op->spares, op);
}

bool
ofi_reads_hold(const struct ofi *ofi, uint32_t rank)
{
	if (!(ofi->provider.is & OFI_SOCKETS) ||
	    ofi->library.version() >= FI_VERSION(1, 18))
		return false;
	for (const struct ofi_op *op = ofi->posted; op; op = op->next)
		if (op->reads && (rank == OFI_ALL || op->to == rank))
			return true;
	return false;
}

/*
 * When a peer is dead, does libfabric still touch the memory of operations
 * with it? If they can be ended now, they are, and their own memory waits in
 * ofi->abandoned for completions that may never come.
 *
 * rxm closes the connection when the address is removed, and with it all that
 * was posted (FI_AV_REMOVE_CLEANUP, which ofi_library.c sets). But a payload
 * that is being read may hold that up (ofi_reads_hold). Such a read ends when
 * the kernel breaks the connection: at once if the peer's process was killed,
 * else after its own patience with what we sent.
 *
 * shm's regions are read and written by processes, and this one has ended.
 *
 * Others must say themselves when they are through with an operation.
 */
static bool
lets_go(struct ofi *ofi, struct ofi_peer *peer)
{
	uint32_t rank = (uint32_t)(peer - ofi->peers);

	if (!(ofi->provider.is & OFI_RXM) || !ofi->library.severs)
		return ofi->provider.is & OFI_FORGETS;
	if (ofi_reads_hold(ofi, rank))
		return false;
	if (peer->address != FI_ADDR_UNSPEC)
		fi_av_remove(ofi->addresses, &peer->address, 1, 0);
	return true;
}

static void
bury(struct ofi *ofi, uint32_t rank)
{
	struct ofi_peer *peer = &ofi->peers[rank];

	if (peer->severed || !lets_go(ofi, peer))
		return;
	peer->severed = true;
	for (struct ofi_op *op = ofi->posted, *next; op; op = next) {
		next = op->next;
		if (op->to != rank)
			continue;
		unlink_op(op);
		link_op(&ofi->abandoned, op);
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
	while (peer->first)
		end_op(ofi, backlog_get(ofi, peer), FI_EIO);
	bury(ofi, rank);
	ofi_offers_end(ofi, rank, STN_LOST);
}

static void
op_completed(struct ofi *ofi, struct ofi_context *context, size_t bytes,
	     int err)
{
	struct ofi_op *op = (struct ofi_op *)context;
	uint32_t to = op->to;

	(void)bytes;
	unlink_op(op);
	if (err)
		ofi_failed(ofi, to);
	end_op(ofi, op, err);
	if (ofi->peers[to].dead)
		bury(ofi, to);
}

/* What a post has led to, but for -FI_EAGAIN. May end the operation. */
static void
posted(struct ofi *ofi, struct ofi_op *op, ssize_t err)
{
	if (!err) {
		link_op(&ofi->posted, op);
		return;
	}
	ofi_failed(ofi, op->to);
	end_op(ofi, op, (int)-err);
}

void
ofi_op_init(struct ofi_op *op, struct ofi_spares *spares, uint32_t to,
	    ofi_post *post, ofi_ended *ended)
{
	op->context.completed = op_completed;
	op->post = post;
	op->ended = ended;
	op->spares = spares;
	op->to = to;
	op->reads = false;
}

void
ofi_submit(struct ofi *ofi, struct ofi_op *op)
{
	const struct ofi_peer *peer = &ofi->peers[op->to];
	ssize_t err = -FI_EAGAIN;

	if (ofi->closing || peer->dead) {
		end_op(ofi, op, FI_ECANCELED);
		return;
	}
	if (ofi_ready(ofi, peer))
		err = op->post(ofi, op);
	if (err == -FI_EAGAIN)
		backlog_put(ofi, op);
	else
		posted(ofi, op, err);
}

/* Posts what waits for this peer, as far as libfabric takes it. */
static unsigned
backlog_retry(struct ofi *ofi, struct ofi_peer *peer)
{
	unsigned did = 0;

	while (peer->first && !peer->shut) {
		struct ofi_op *op = peer->first;
		ssize_t err = op->post(ofi, op);

		if (err == -FI_EAGAIN)
			break;
		posted(ofi, backlog_get(ofi, peer), err);
		did++;
	}
	return did;
}

/* Ends may put more into backlogs meanwhile: at the list's end. */
static unsigned
backlogs_retry(struct ofi *ofi)
{
	unsigned did = 0;

	for (uint32_t i = 0; i < ofi->waiting_count;) {
		struct ofi_peer *peer = &ofi->peers[ofi->waiting[i]];

		did += backlog_retry(ofi, peer);
		if (peer->first) {
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

/* As fi_cq_read: how many there were, or an error. */
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
 * Where a connection has ended, so have all operations on it, one error each:
 * they are read to the last, before their peer is declared dead.
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
	if (ofi->waiting_count)
		did += backlogs_retry(ofi);
	if (ofi->unposted)
		ofi_post_rest(ofi);
	if (did)
		ofi->interval_ns = OFI_POLL_LEAST_NS;
	return did;
}

void
ofi_cancel_rest(struct ofi *ofi)
{
	for (uint32_t i = 0; i < ofi->opening.topology->nodes; i++)
		while (ofi->peers[i].first)
			end_op(ofi, backlog_get(ofi, &ofi->peers[i]),
			       FI_ECANCELED);
	while (ofi->posted) {
		struct ofi_op *op = ofi->posted;

		unlink_op(op);
		end_op(ofi, op, FI_ECANCELED);
	}
	while (ofi->abandoned) {
		struct ofi_op *op = ofi->abandoned;

		unlink_op(op);
		end_op(ofi, op, FI_ECANCELED);
	}
}

/* Where one can't sleep, polls ever less often while nothing happens. */
static uint64_t
next_interval(struct ofi *ofi)
{
	uint64_t interval = ofi->interval_ns;

	if (interval < POLL_MOST_NS)
		ofi->interval_ns += interval / 4;
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
	/* What could not be posted may become possible without an event. */
	return ofi_waits(transport) ? POLL_MOST_NS : STN_FOREVER;
}
