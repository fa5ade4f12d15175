#include "transport/shm/shm.h"
#include "transport/shm/shm_send.h"
#include "transport/shm/shm_stream.h"

#include <stdlib.h>
#include <unistd.h>

#include "transport/backends.h"

static bool
shm_is_closed(const struct shm_peer *peer)
{
	return atomic_load_explicit(&peer->segment->state,
				    memory_order_acquire) &
	       SHM_CLOSED;
}

/* Ends all operations with a peer, to which nothing can be sent any more. */
static void
end_all(struct shm *shm, uint32_t rank, enum stn_err err)
{
	struct shm_peer *peer = &shm->peers[rank];

	peer->open = false;
	shm_end_waiting(shm, peer, err);
	shm_stream_end(shm, rank, err);
}

/*
 * Works on the operations with a peer. A peer that has closed its endpoint
 * sends nothing more; but messages that it sent before may end an operation.
 */
static unsigned
shm_work(struct shm *shm, uint32_t rank)
{
	struct shm_peer *peer = &shm->peers[rank];
	unsigned did = 0;

	did += shm_send_waiting(shm, rank);
	did += shm_read(shm, rank);
	if (STAILQ_EMPTY(&peer->ops)) {
		unsigned parts = shm_stream_send(shm, rank);

		if (parts)
			shm_wake(peer);
		did += parts;
	}
	if (shm_is_closed(peer) && shm_is_drained(shm, rank)) {
		end_all(shm, rank, STN_LOST);
		did++;
	}
	return did;
}

/* Relaxed: a hint. Pairs with nothing. */
static bool
shm_may_have_news(const struct stn_transport *transport)
{
	const struct shm *shm = (const struct shm *)transport;

	return __atomic_load_n(&shm->under_way, __ATOMIC_RELAXED) ||
	       shm_has_news(shm);
}

static unsigned
shm_progress(struct stn_transport *transport)
{
	struct shm *shm = shm_of(transport);
	unsigned did;

	if (!shm->under_way && !shm_has_news(shm))
		return 0; /* as in most polls */
	did = shm_receive(shm);
	for (uint32_t i = 0; shm->under_way && i < shm->base.nodes; i++)
		if (shm->peers[i].under_way)
			did += shm_work(shm, i);
	return did;
}

/* Could progress advance an operation with a peer? */
static bool
can_work(struct shm_peer *peer)
{
	if (shm_is_closed(peer) || !STAILQ_EMPTY(&peer->reads))
		return true;
	if (!STAILQ_EMPTY(&peer->ops))
		return shm_can_send_waiting(peer);
	return !STAILQ_EMPTY(&peer->streams) &&
	       shm_ring_reserve(&peer->out, SHM_HEAD_BYTES + SHM_PART_MOST);
}

static bool
has_work(struct shm *shm)
{
	if (shm_has_news(shm))
		return true;
	for (uint32_t i = 0; shm->under_way && i < shm->base.nodes; i++)
		if (shm->peers[i].under_way && can_work(&shm->peers[i]))
			return true;
	return false;
}

/* Reads only rings that are owed, because each read is a system call. */
static void
drain_bell(struct shm *shm)
{
	char rung[64];

	while (shm->owed) {
		size_t most =
			shm->owed < sizeof(rung) ? shm->owed : sizeof(rung);
		ssize_t got = read(shm->bell, rung, most);

		if (got <= 0)
			return;
		shm->owed -= (unsigned)got;
	}
}

/*
 * The side that clears SHM_SLEEPING rings the bell once. If the peer has
 * cleared it, one ring is owed, which has arrived or will arrive.
 */
static void
shm_disarm(struct stn_transport *transport)
{
	struct shm *shm = shm_of(transport);

	if (shm->armed &&
	    !(atomic_fetch_and(&shm->segment->state, ~(uint32_t)SHM_SLEEPING) &
	      SHM_SLEEPING))
		shm->owed++;
	shm->armed = false;
	drain_bell(shm);
}

/*
 * Empties the pipe first: if the bell rings after that, the descriptor stays
 * readable. A late ring of an earlier sleep wakes the node without a reason.
 */
static uint64_t
shm_arm(struct stn_transport *transport)
{
	struct shm *shm = shm_of(transport);
	uint32_t state;

	shm_disarm(transport);
	shm->armed = true;
	/*
	 * A load and a store suffice: SHM_SLEEPING is clear here, and peers
	 * write the state only to clear it. Relaxed: the fence orders the
	 * store.
	 */
	state = atomic_load_explicit(&shm->segment->state,
				     memory_order_relaxed);
	atomic_store_explicit(&shm->segment->state, state | SHM_SLEEPING,
			      memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst); /* pairs with shm_wake's */
	if (!has_work(shm))
		return STN_FOREVER;
	shm_disarm(transport);
	return STN_NOT_NOW;
}

static void
shm_peer_del(struct stn_transport *transport, uint32_t rank)
{
	struct shm *shm = shm_of(transport);

	shm_forget_sender(shm, rank);
	shm->peers[rank].sends = true; /* so it never becomes a sender again */
	end_all(shm, rank, STN_LOST);
	shm_segment_drop(shm, rank);
	shm_segment_punch(shm, rank);
}

static void
shm_release(struct shm *shm)
{
	shm_segment_free(shm);
	free(shm->senders);
}

static enum stn_err
shm_begin(struct stn_transport *transport, struct stn_why *why)
{
	struct shm *shm = shm_of(transport);
	enum stn_err err = STN_OK;

	shm->memory = shm->bell = shm->ringer = -1;
	shm->rendezvous.transport = transport;
	shm->rendezvous.ended = shm_offer_ended;
	for (uint32_t i = 0; i < transport->nodes; i++) {
		struct shm_peer *peer = &shm->peers[i];

		peer->bell = -1;
		STAILQ_INIT(&peer->ops);
		STAILQ_INIT(&peer->streams);
		STAILQ_INIT(&peer->reads);
		STAILQ_INIT(&peer->pulls);
	}
	shm->senders = calloc(transport->nodes, sizeof(shm->senders[0]));
	if (!shm->senders)
		err = stn_because(why, STN_NO_MEMORY, "out of memory");
	if (!err)
		err = shm_segment_make(shm, why);
	if (err) {
		shm_release(shm);
		return err;
	}
	transport->limits = (struct stn_limits){
		.inline_bytes = SHM_EAGER_BYTES,
		.eager_bytes = SHM_EAGER_BYTES,
		.pieces = SIZE_MAX,
		.fd = shm->bell,
		.quiet = true,
	};
	return STN_OK;
}

/* A peer that still writes does so into its own mapping of the segment. */
static void
shm_close(struct stn_transport *transport, uint64_t patience_ns)
{
	struct shm *shm = shm_of(transport);
	uint64_t end = stn_machine_now(transport) + patience_ns;
	uint32_t nodes = shm->base.nodes;

	while (shm->under_way && stn_machine_now(transport) < end)
		shm_progress(transport);
	shm->closing = true;
	/*
	 * Pairs with the acquire in shm_is_closed, shm_wake and read_from.
	 */
	atomic_fetch_or(&shm->segment->state, SHM_CLOSED);
	for (uint32_t i = 0; i < nodes; i++) {
		if (shm->peers[i].segment)
			shm_wake(&shm->peers[i]);
		shm->peers[i].open = false;
	}
	for (uint32_t i = 0; i < nodes; i++)
		end_all(shm, i, STN_CANCELLED);
	shm_release(shm);
}

/* A peer rings the bell when it makes room, asks for a payload, or closes. */
const struct stn_transport_ops stn_transport_shm = {
	.name = "shm",
	.help = "processes of one host, by shared memory of our own",
	.bytes = sizeof(struct shm),
	.node_bytes = sizeof(struct shm_peer),
	.open = shm_begin,
	.close = shm_close,
	.address = shm_address,
	.address_bytes = sizeof(struct shm_address),
	.connect = shm_connect,
	.send = shm_send,
	.offer = shm_offer,
	.pull = shm_pull,
	.refuse = shm_refuse,
	.peer_del = shm_peer_del,
	.progress = shm_progress,
	.has_news = shm_may_have_news,
	.arm = shm_arm,
	.disarm = shm_disarm,
	.now = stn_machine_now,
	.reach = STN_REACH_HOST,
};
