#include "transport/shm/shm.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *
shm_allocate(size_t bytes)
{
	void *memory = calloc(1, bytes);

	if (!memory)
		abort();
	return memory;
}

void
shm_began(struct shm *shm, struct shm_peer *peer)
{
	peer->under_way++;
	shm->under_way++;
}

void
shm_ended(struct shm *shm, struct shm_peer *peer)
{
	peer->under_way--;
	shm->under_way--;
}

struct shm_packet
shm_packet_make(const struct shm *shm, enum stn_packet_type type,
		size_t payload_bytes)
{
	return (struct shm_packet){
		.packet = stn_packet_make(shm->opening.rank, type, 0, 0,
					  payload_bytes),
	};
}

/* Appends, where there may be nothing to append. */
static unsigned char *
append(unsigned char *at, const void *bytes, size_t size)
{
	return size ? mempcpy(at, bytes, size) : at;
}

/* Of a packet, with all that goes along in the ring. */
static size_t
wire_bytes(const struct shm_packet *packet, size_t payload_bytes)
{
	return sizeof(packet->packet) + packet->packet.header_bytes +
	       packet->block_bytes + payload_bytes;
}

static bool
join(struct shm *shm, uint32_t to)
{
	const char *how = NULL;

	if (shm->peers[to].joined || shm_segment_join(shm, to, &how))
		return true;
	stn_peers_lost(&shm->base, to, how);
	return false;
}

/*
 * The head is put together here, with as much of the payload as belongs into
 * the message's front; what doesn't fit there goes straight into the ring.
 */
bool
shm_put(struct shm *shm, uint32_t to, const struct shm_packet *packet,
	struct stn_pieces_walk *walk, size_t bytes)
{
	struct shm_peer *peer = &shm->peers[to];
	unsigned char head[SHM_HEAD_BYTES + SHM_FRONT_BYTES], *end, *rest;
	size_t head_bytes = wire_bytes(packet, 0), behind = 0;

	if (!join(shm, to))
		return false;
	rest = shm_ring_reserve(&peer->out, head_bytes + bytes);
	if (!rest)
		return false;
	memset(head, 0, SHM_FRONT_BYTES);
	end = append(head, &packet->packet, sizeof(packet->packet));
	end = append(end, packet->header, packet->packet.header_bytes);
	end = append(end, packet->block, packet->block_bytes);
	if (head_bytes > SHM_FRONT_BYTES) {
		behind = head_bytes - SHM_FRONT_BYTES;
		memcpy(rest, head + SHM_FRONT_BYTES, behind);
	}
	if (bytes) {
		struct iovec room[] = {
			{ end, behind ? 0 : SHM_FRONT_BYTES - head_bytes },
			{ rest + behind, bytes },
		};

		walk->to = room;
		walk->to_offset = 0;
		stn_pieces_go(walk, bytes);
	}
	shm_ring_publish(&peer->out, head, head_bytes + bytes);
	shm->base.traffic.bytes_copied += packet->packet.header_bytes + bytes;
	return true;
}

static void
ring_bell(int bell)
{
	if (write(bell, "", 1) < 0)
		return; /* the pipe is full: it rings anyway */
}

bool
shm_wake(struct shm_peer *peer)
{
	_Atomic(uint32_t) *state = &peer->segment->state;
	uint32_t was;

	atomic_thread_fence(memory_order_seq_cst); /* pairs with that in arm */
	was = atomic_load_explicit(state, memory_order_acquire);
	if (was & SHM_SLEEPING &&
	    atomic_fetch_and(state, ~(uint32_t)SHM_SLEEPING) & SHM_SLEEPING)
		ring_bell(peer->bell);
	return !(was & SHM_CLOSED);
}

static bool
is_closed(const struct shm_peer *peer)
{
	return atomic_load_explicit(&peer->segment->state,
				    memory_order_acquire) &
	       SHM_CLOSED;
}

static void
wait_for_room(struct shm *shm, uint32_t to, const struct shm_packet *packet,
	      const struct iovec *pieces, size_t count, stn_done *done,
	      void *arg)
{
	struct shm_peer *peer = &shm->peers[to];
	size_t bytes = count * sizeof(pieces[0]);
	struct shm_op *op = shm_allocate(sizeof(*op) + bytes);

	op->packet = *packet;
	op->done = done;
	op->arg = arg;
	if (bytes)
		memcpy(op->pieces, pieces, bytes);
	if (!done) {
		append(op->copy, packet->header, packet->packet.header_bytes);
		op->packet.header = op->copy;
	}
	*peer->last_op = op;
	peer->last_op = &op->next;
	shm_began(shm, peer);
}

/* How much of a packet's payload goes along with it. */
static size_t
along(const struct shm_packet *packet)
{
	return packet->packet.type == STN_PACKET_OFFER
		       ? 0
		       : packet->packet.payload_bytes;
}

void
shm_submit(struct shm *shm, uint32_t to, const struct shm_packet *packet,
	   const struct iovec *pieces, size_t count, stn_done *done, void *arg)
{
	struct shm_peer *peer = &shm->peers[to];
	struct stn_pieces_walk walk = { .from = pieces };
	enum stn_err err;

	if (peer->ops || !shm_put(shm, to, packet, &walk, along(packet))) {
		wait_for_room(shm, to, packet, pieces, count, done, arg);
		return;
	}
	err = shm_wake(peer) ? STN_OK : STN_LOST;
	if (done)
		done(arg, err);
}

static void
shm_send(struct stn_transport *transport, uint32_t to, uint8_t kind,
	 const void *header, size_t header_bytes, const struct iovec *pieces,
	 size_t count, stn_done *done, void *arg)
{
	struct shm *shm = shm_of(transport);
	struct shm_packet packet;

	if (!shm->peers[to].open) {
		if (done)
			done(arg, shm->closing ? STN_CANCELLED : STN_LOST);
		return;
	}
	packet = shm_packet_make(shm, STN_PACKET_EAGER,
				 stn_pieces_bytes(pieces, count));
	packet.packet.kind = kind;
	packet.packet.header_bytes = (uint16_t)header_bytes;
	packet.header = header;
	shm_submit(shm, to, &packet, pieces, count, done, arg);
}

static void
end_op(struct shm *shm, struct shm_peer *peer, enum stn_err err)
{
	struct shm_op *op = peer->ops;

	peer->ops = op->next;
	if (!peer->ops)
		peer->last_op = &peer->ops;
	shm_ended(shm, peer);
	if (op->done)
		op->done(op->arg, err);
	free(op);
}

/* Puts what waits for room, as far as there is some. */
static unsigned
retry(struct shm *shm, uint32_t to)
{
	struct shm_peer *peer = &shm->peers[to];
	unsigned did = 0;

	while (peer->ops && peer->open) {
		struct shm_op *op = peer->ops;
		struct stn_pieces_walk walk = { .from = op->pieces };

		if (!shm_put(shm, to, &op->packet, &walk, along(&op->packet)))
			break;
		end_op(shm, peer, shm_wake(peer) ? STN_OK : STN_LOST);
		did++;
	}
	return did;
}

/* Ends all that is under way with a peer, which can't be sent to any more. */
static void
end_all(struct shm *shm, uint32_t rank, enum stn_err err)
{
	struct shm_peer *peer = &shm->peers[rank];

	peer->open = false;
	while (peer->ops)
		end_op(shm, peer, err);
	shm_stream_end(shm, rank, err);
}

/*
 * What is under way with a peer. If that has closed its end, nothing more will
 * come; but what came before may be what we wait for.
 */
static unsigned
work(struct shm *shm, uint32_t rank)
{
	struct shm_peer *peer = &shm->peers[rank];
	unsigned did = 0;

	if (peer->ops)
		did += retry(shm, rank);
	if (peer->streams && !peer->ops) {
		unsigned parts = shm_stream_send(shm, rank);

		if (parts)
			shm_wake(peer);
		did += parts;
	}
	if (is_closed(peer) && shm_is_drained(shm, rank)) {
		end_all(shm, rank, STN_LOST);
		did++;
	}
	return did;
}

static unsigned
shm_progress(struct stn_transport *transport)
{
	struct shm *shm = shm_of(transport);
	unsigned did = shm_receive(shm);

	for (uint32_t i = 0; shm->under_way && i < shm->opening.topology->nodes;
	     i++)
		if (shm->peers[i].under_way)
			did += work(shm, i);
	return did;
}

/* Could progress do something for what is under way with a peer? */
static bool
can_work(struct shm_peer *peer)
{
	if (is_closed(peer))
		return true;
	if (peer->ops)
		return shm_ring_reserve(&peer->out,
					wire_bytes(&peer->ops->packet,
						   along(&peer->ops->packet)));
	return peer->streams &&
	       shm_ring_reserve(&peer->out, SHM_HEAD_BYTES + SHM_PART_MOST);
}

static bool
has_work(struct shm *shm)
{
	if (shm_has_news(shm))
		return true;
	for (uint32_t i = 0; shm->under_way && i < shm->opening.topology->nodes;
	     i++)
		if (shm->peers[i].under_way && can_work(&shm->peers[i]))
			return true;
	return false;
}

/*
 * Whoever clears SHM_SLEEPING rings once: if that wasn't we, a ring is owed,
 * which may have come already, or come late.
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
}

/* Only rings that are owed are looked for: that takes a system call. */
static void
silence_bell(struct shm *shm)
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
 * The bell is silenced first: if it rings after that, it stays readable. If
 * that is an old ring come late, it wakes us for nothing.
 */
static uint64_t
shm_arm(struct stn_transport *transport)
{
	struct shm *shm = shm_of(transport);

	shm_disarm(transport);
	silence_bell(shm);
	shm->armed = true;
	atomic_fetch_or(&shm->segment->state, SHM_SLEEPING);
	atomic_thread_fence(memory_order_seq_cst); /* pairs with shm_wake's */
	if (!has_work(shm))
		return STN_FOREVER;
	shm_disarm(transport);
	return STN_NOT_NOW;
}

/* Whoever makes room, asks for a payload or closes its end rings the bell. */
static bool
shm_waits(const struct stn_transport *transport)
{
	(void)transport;
	return false;
}

static void
shm_peer_del(struct stn_transport *transport, uint32_t rank)
{
	struct shm *shm = shm_of(transport);

	shm_forget_sender(shm, rank);
	shm->peers[rank].heard = true; /* for good: it is not listened to */
	end_all(shm, rank, STN_LOST);
	shm_segment_drop(shm, rank);
	shm_segment_punch(shm, rank);
}

static void
destroy(struct shm *shm)
{
	shm_segment_free(shm);
	free(shm->heard);
	free(shm);
}

static enum stn_err
shm_begin(const struct stn_opening *opening, struct stn_transport **transport_p,
	  struct stn_why *why)
{
	uint32_t nodes = opening->topology->nodes;
	enum stn_err err = STN_OK;
	struct shm *shm;

	shm = calloc(1, sizeof(*shm) + nodes * sizeof(shm->peers[0]));
	if (!shm)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	shm->opening = *opening;
	shm->memory = shm->bell = shm->ringer = -1;
	for (uint32_t i = 0; i < nodes; i++) {
		struct shm_peer *peer = &shm->peers[i];

		peer->bell = -1;
		peer->last_op = &peer->ops;
		peer->last_offer = &peer->offers;
		peer->last_stream = &peer->streams;
		peer->last_pull = &peer->pulls;
	}
	shm->heard = calloc(nodes, sizeof(shm->heard[0]));
	if (!shm->heard)
		err = stn_because(why, STN_NO_MEMORY, "out of memory");
	if (!err)
		err = shm_segment_make(shm, why);
	if (err) {
		destroy(shm);
		return err;
	}
	shm->base.ops = &stn_transport_shm;
	shm->base.limits = (struct stn_limits){
		.inline_bytes = SHM_EAGER_BYTES,
		.eager_bytes = SHM_EAGER_BYTES,
		.pieces = SIZE_MAX,
		.fd = shm->bell,
		.quiet = true,
	};
	*transport_p = &shm->base;
	return STN_OK;
}

/* Peers that still write do so into memory that they have mapped themselves. */
static void
shm_close(struct stn_transport *transport, uint64_t patience_ns)
{
	struct shm *shm = shm_of(transport);
	uint64_t end = stn_machine_now(transport) + patience_ns;
	uint32_t nodes = shm->opening.topology->nodes;

	while (shm->under_way && stn_machine_now(transport) < end)
		shm_progress(transport);
	shm->closing = true;
	/* Pairs with the acquire of all who ask whether it is set. */
	atomic_fetch_or(&shm->segment->state, SHM_CLOSED);
	for (uint32_t i = 0; i < nodes; i++) {
		if (shm->peers[i].segment)
			shm_wake(&shm->peers[i]);
		shm->peers[i].open = false;
	}
	for (uint32_t i = 0; i < nodes; i++)
		end_all(shm, i, STN_CANCELLED);
	destroy(shm);
}

const struct stn_transport_ops stn_transport_shm = {
	.name = "shm",
	.help = "processes of one host, by shared memory of our own",
	.open = shm_begin,
	.close = shm_close,
	.address = shm_address,
	.connect = shm_connect,
	.send = shm_send,
	.offer = shm_offer,
	.pull = shm_pull,
	.refuse = shm_refuse,
	.peer_del = shm_peer_del,
	.progress = shm_progress,
	.arm = shm_arm,
	.disarm = shm_disarm,
	.waits = shm_waits,
	.now = stn_machine_now,
	.reach = STN_REACH_HOST,
};
