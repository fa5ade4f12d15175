#include "transport/ofi/ofi.h"

#include "transport/peers.h"

#define COMPLETIONS 64	  /* read in one call */
#define FAILED_MOST 10000 /* handled in one call, after an error */
#define POLL_MOST_NS 1000000ull
#define READS_MOST 16 /* from one peer at a time, at up to 1 MiB each */

static void
ofi_put_waiting(struct ofi *ofi, struct ofi_op *op)
{
	struct ofi_peer *peer = &ofi->peers[op->to];

	STAILQ_INSERT_TAIL(op->reads ? &peer->reads : &peer->backlog, op,
			   waiting);
	if (peer->listed)
		return;
	peer->listed = true;
	ofi->waiting[ofi->waiting_count++] = op->to;
}

static struct ofi_op *
ofi_get_waiting(struct ofi_queue *queue)
{
	struct ofi_op *op = STAILQ_FIRST(queue);

	if (op)
		STAILQ_REMOVE_HEAD(queue, waiting);
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

	if (err == FI_ENOMEM)
		ours = STN_NO_MEMORY;
	else if (err)
		ours = ofi->closing && err == FI_ECANCELED ? STN_CANCELLED
							   : STN_LOST;
	if (op->ended)
		op->ended(ofi, op, ours);
	ofi_pool_put(op->pool, op);
}

/* Ends all operations with a peer that libfabric does not have. */
static void
ofi_end_waiting(struct ofi *ofi, struct ofi_peer *peer, int err)
{
	struct ofi_op *op;

	while ((op = ofi_get_waiting(&peer->backlog)) ||
	       (op = ofi_get_waiting(&peer->reads)))
		ofi_end_op(ofi, op, err);
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
 * after the kernel's own timeout for unacknowledged data. rxm then reads its
 * completion queue until that is empty (rxm_flush_msg_cq of libfabric 1.17), so
 * it returns late, or never, if other nodes send faster than it reads.
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
	/* rxm drops inline messages without completing them. */
	ofi->inlined_out -= peer->inlined_out;
	peer->inlined_out = 0;
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
	ofi_end_waiting(ofi, peer, FI_EIO);
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
	ofi->peers[to].reads_posted -= op->reads;
	if (err)
		ofi_failed(ofi, to);
	ofi_end_op(ofi, op, err);
	if (ofi->peers[to].dead)
		ofi_end_dead(ofi, to);
}

/*
 * Handles the result of a post, unless the operation must be posted again
 * later. May end the operation.
 */
static void
posted(struct ofi *ofi, struct ofi_op *op, ssize_t err)
{
	if (!err) {
		LIST_INSERT_HEAD(&ofi->posted, op, posted);
		ofi->peers[op->to].reads_posted += op->reads;
		return;
	}
	if (err != -FI_ENOMEM)
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
	op->heartbeat = false;
}

/*
 * Must the operation be posted again, because libfabric has no room or memory
 * for it now? Its peer may be well. If libfabric has no other operation whose
 * end could free memory, the operation fails instead.
 */
static bool
comes_later(const struct ofi *ofi, ssize_t err)
{
	return err == -FI_EAGAIN ||
	       (err == -FI_ENOMEM &&
		(!LIST_EMPTY(&ofi->posted) || ofi->inlined_out));
}

static bool
ofi_has_turn(const struct ofi *ofi, const struct ofi_peer *peer,
	     const struct ofi_op *op)
{
	return ofi_ready(ofi, peer) &&
	       (!op->reads || (STAILQ_EMPTY(&peer->reads) &&
			       peer->reads_posted < READS_MOST));
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
	if (ofi_has_turn(ofi, peer, op))
		err = op->post(ofi, op);
	if (comes_later(ofi, err))
		ofi_put_waiting(ofi, op);
	else
		posted(ofi, op, err);
}

/* Posts the first operation of a queue. Returns false if none can be posted. */
static bool
ofi_post_first(struct ofi *ofi, struct ofi_peer *peer, struct ofi_queue *queue)
{
	struct ofi_op *op = STAILQ_FIRST(queue);
	ssize_t err;

	if (!op || peer->shut ||
	    (op->reads && peer->reads_posted == READS_MOST))
		return false;
	err = op->post(ofi, op);
	if (comes_later(ofi, err))
		return false;
	posted(ofi, ofi_get_waiting(queue), err);
	return true;
}

/*
 * Posts the messages and reads that wait for a peer, until libfabric takes no
 * more. They take turns: otherwise a node that sends without end would never
 * read the peer's payloads, or reads without end would hold up its messages.
 */
static unsigned
ofi_post_waiting(struct ofi *ofi, struct ofi_peer *peer)
{
	struct ofi_queue *const queues[] = { &peer->backlog, &peer->reads };
	unsigned did = 0;

	for (;; did++)
		if (ofi_post_first(ofi, peer, queues[peer->read_is_next]))
			peer->read_is_next = !peer->read_is_next;
		else if (!ofi_post_first(ofi, peer,
					 queues[!peer->read_is_next]))
			return did;
}

/*
 * A done callback may add peers to the list meanwhile. They are appended, so
 * the loop reaches them.
 */
static unsigned
ofi_post_all(struct ofi *ofi)
{
	unsigned did = 0;

	for (uint32_t i = 0; i < ofi->waiting_count;) {
		struct ofi_peer *peer = &ofi->peers[ofi->waiting[i]];

		did += ofi_post_waiting(ofi, peer);
		if (!STAILQ_EMPTY(&peer->backlog) ||
		    !STAILQ_EMPTY(&peer->reads)) {
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
 * error. All these errors are read before the peer is declared dead. Other
 * peers may send all the time, so the number of completions has a limit.
 */
static unsigned
complete_failed(struct ofi *ofi)
{
	unsigned did = 0;
	ssize_t got = -FI_EAVAIL;

	while (did < FAILED_MOST && got != -FI_EAGAIN) {
		if (got > 0)
			did += (unsigned)got;
		else if (complete_error(ofi))
			did++;
		else
			break;
		got = complete_some(ofi);
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
		did += ofi_post_all(ofi);
	if (ofi->unposted)
		ofi_post_rest(ofi);
	if (did)
		ofi->interval_ns = OFI_POLL_LEAST_NS;
	return did;
}

/* Only heartbeats may wait for a peer that has closed before this node. */
bool
ofi_busy(const struct ofi *ofi)
{
	if (!LIST_EMPTY(&ofi->posted) || ofi->inlined_out ||
	    ofi->rendezvous.count)
		return true;
	for (uint32_t i = 0; i < ofi->waiting_count; i++) {
		const struct ofi_peer *peer = &ofi->peers[ofi->waiting[i]];
		const struct ofi_op *op;

		if (!STAILQ_EMPTY(&peer->reads))
			return true;
		STAILQ_FOREACH (op, &peer->backlog, waiting)
			if (!op->heartbeat)
				return true;
	}
	return false;
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
	for (uint32_t i = 0; i < ofi->base.nodes; i++)
		ofi_end_waiting(ofi, &ofi->peers[i], FI_ECANCELED);
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

/*
 * Sends in a backlog may become possible without an event. So may a read, but
 * if another read from the same peer is posted, its completion is an event.
 */
bool
ofi_waits(const struct stn_transport *transport)
{
	const struct ofi *ofi = (const struct ofi *)transport;

	for (uint32_t i = 0; i < ofi->waiting_count; i++) {
		const struct ofi_peer *peer = &ofi->peers[ofi->waiting[i]];

		if (!STAILQ_EMPTY(&peer->backlog) || !peer->reads_posted)
			return true;
	}
	return ofi->unposted;
}

/*
 * Can there be completions that the descriptor does not report? An event
 * queue's descriptor reports sockets only: not that a message has left, nor
 * that one has come for which a receive was missing. A read of no completions
 * works on the sockets, and finds out whether the queue is empty. It handles
 * none: arm calls no handlers.
 */
static bool
may_miss(struct ofi *ofi)
{
	struct fid *fids[] = { &ofi->completions->fid };

	return ofi->events ? fi_cq_read(ofi->completions, NULL, 0) != -FI_EAGAIN
			   : fi_trywait(ofi->fabric, fids, 1) != 0;
}

uint64_t
ofi_arm(struct stn_transport *transport)
{
	struct ofi *ofi = ofi_of(transport);

	if (transport->limits.fd < 0)
		return next_interval(ofi);
	if (may_miss(ofi))
		return STN_NOT_NOW;
	return ofi_waits(transport) ? POLL_MOST_NS : STN_FOREVER;
}
