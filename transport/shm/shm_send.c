/*
 * shm_send.c: sends packets to peers, and keeps packets for which a ring has no
 * room.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "transport/shm/shm.h"
#include "transport/shm/shm_send.h"

/* Relaxed, like the load in shm_may_have_news. */
static void
set_under_way(struct shm *shm, unsigned count)
{
	__atomic_store_n(&shm->under_way, count, __ATOMIC_RELAXED);
}

void
shm_began(struct shm *shm, struct shm_peer *peer)
{
	peer->under_way++;
	set_under_way(shm, shm->under_way + 1);
}

void
shm_ended(struct shm *shm, struct shm_peer *peer)
{
	peer->under_way--;
	set_under_way(shm, shm->under_way - 1);
}

struct shm_packet
shm_packet_make(const struct shm *shm, enum stn_packet_type type,
		size_t payload_bytes)
{
	return (struct shm_packet){
		.packet = stn_packet_make(shm->base.opening.rank, type, 0, 0,
					  payload_bytes),
	};
}

/* The bytes that a packet takes in the ring, with @payload_bytes of payload. */
static size_t
wire_bytes(const struct shm_packet *packet, size_t payload_bytes)
{
	return sizeof(packet->packet) + packet->packet.header_bytes +
	       packet->block_bytes + payload_bytes;
}

/* Reserves room in the ring at node @to. Returns NULL if there is none now. */
static inline unsigned char *
reserve(struct shm *shm, uint32_t to, size_t bytes)
{
	struct shm_peer *peer = &shm->peers[to];
	const char *how = NULL;

	if (peer->joined || shm_segment_join(shm, to, &how))
		return shm_ring_reserve(&peer->out, bytes);
	stn_peers_lost(&shm->base, to, how);
	return NULL;
}

/*
 * The beginning of the packet is assembled here, with as much of the payload as
 * the message's front has room for. The rest goes straight into the ring.
 */
bool
shm_put(struct shm *shm, uint32_t to, const struct shm_packet *packet,
	struct stn_pieces_walk *walk, size_t bytes)
{
	unsigned char head[SHM_HEAD_BYTES + SHM_FRONT_BYTES], *end, *rest, *at;
	size_t head_bytes = wire_bytes(packet, 0), behind = 0;

	at = reserve(shm, to, head_bytes + bytes);
	if (!at)
		return false;
	rest = at + SHM_FRONT_BYTES;
	memset(head, 0, SHM_FRONT_BYTES);
	end = stn_append(head, &packet->packet, sizeof(packet->packet));
	end = stn_append(end, packet->header, packet->packet.header_bytes);
	end = stn_append(end, packet->block, packet->block_bytes);
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
	memcpy(at, head, SHM_FRONT_BYTES); /* rings have room for whole lines */
	shm_ring_publish(&shm->peers[to].out, head_bytes + bytes);
	shm->base.traffic.bytes_copied += packet->packet.header_bytes + bytes;
	return true;
}

/*
 * Puts a message without a payload straight into the ring: requests, grants and
 * their like, whose latency counts.
 */
static bool
put_header(struct shm *shm, uint32_t to, uint8_t kind, const void *header,
	   size_t header_bytes)
{
	const size_t first = SHM_FRONT_BYTES - STN_PACKET_BYTES;
	const struct stn_packet packet =
		stn_packet_make(shm->base.opening.rank, STN_PACKET_EAGER, kind,
				header_bytes, 0);
	unsigned char *at = reserve(shm, to, sizeof(packet) + header_bytes);

	if (!at)
		return false;
	if (header_bytes > first) {
		memcpy(at + SHM_FRONT_BYTES,
		       (const unsigned char *)header + first,
		       header_bytes - first);
		memcpy(at + sizeof(packet), header, first);
	} else {
		stn_append(at + sizeof(packet), header, header_bytes);
	}
	memcpy(at, &packet, sizeof(packet));
	shm_ring_publish(&shm->peers[to].out, sizeof(packet) + header_bytes);
	shm->base.traffic.bytes_copied += header_bytes;
	return true;
}

/*
 * The same for a message with a payload in one piece, if all of it fits into a
 * pair of lines: most results. Returns false also if it does not fit.
 */
static bool
put_pair(struct shm *shm, uint32_t to, uint8_t kind, const void *header,
	 size_t header_bytes, const struct iovec *piece)
{
	_Alignas(SHM_LINE) unsigned char pair[SHM_PAIR];
	size_t bytes = header_bytes + piece->iov_len;
	size_t size = STN_PACKET_BYTES + bytes;
	struct stn_packet packet;
	unsigned char *at, *end;

	if (piece->iov_len > SHM_PAIR || size > SHM_PAIR - SHM_WORD_BYTES)
		return false;
	at = reserve(shm, to, size);
	if (!at)
		return false;
	packet = stn_packet_make(shm->base.opening.rank, STN_PACKET_EAGER, kind,
				 header_bytes, piece->iov_len);
	memset(pair, 0, SHM_LINE); /* whole lines go to the peer */
	if (size > SHM_FRONT_BYTES)
		memset(pair + SHM_LINE, 0, SHM_LINE);
	end = stn_append(pair, &packet, sizeof(packet));
	end = stn_append(end, header, header_bytes);
	stn_append(end, piece->iov_base, piece->iov_len);
	if (size > SHM_FRONT_BYTES)
		memcpy(at + SHM_FRONT_BYTES, pair + SHM_FRONT_BYTES, SHM_LINE);
	memcpy(at, pair, SHM_FRONT_BYTES);
	shm_ring_publish(&shm->peers[to].out, size);
	shm->base.traffic.bytes_copied += bytes;
	return true;
}

static void
ring_bell(int bell)
{
	if (write(bell, "", 1) < 0)
		return; /* the pipe is full: it is readable */
}

bool
shm_wake(struct shm_peer *peer)
{
	_Atomic(uint32_t) *state = &peer->segment->state;
	uint32_t was;

	atomic_thread_fence(memory_order_seq_cst); /* pairs with shm_arm's */
	was = atomic_load_explicit(state, memory_order_acquire);
	if (was & SHM_SLEEPING &&
	    atomic_fetch_and(state, ~(uint32_t)SHM_SLEEPING) & SHM_SLEEPING)
		ring_bell(peer->bell);
	return !(was & SHM_CLOSED);
}

static void
wait_for_room(struct shm *shm, uint32_t to, const struct shm_packet *packet,
	      const struct iovec *pieces, size_t count, stn_done *done,
	      void *arg)
{
	struct shm_peer *peer = &shm->peers[to];
	size_t bytes = count * sizeof(pieces[0]);
	struct shm_op *op = stn_or_abort(calloc(1, sizeof(*op) + bytes));

	op->packet = *packet;
	op->done = done;
	op->arg = arg;
	stn_append(op->pieces, pieces, bytes);
	if (!done) {
		stn_append(op->copy, packet->header,
			   packet->packet.header_bytes);
		op->packet.header = op->copy;
	}
	STAILQ_INSERT_TAIL(&peer->ops, op, link);
	shm_began(shm, peer);
}

/* How many bytes of a packet's payload follow it in the ring. */
static size_t
along(const struct shm_packet *packet)
{
	return packet->packet.type == STN_PACKET_OFFER
		       ? 0
		       : packet->packet.payload_bytes;
}

/* The packet is in the ring. */
static void
submitted(struct shm_peer *peer, stn_done *done, void *arg)
{
	enum stn_err err = shm_wake(peer) ? STN_OK : STN_LOST;

	if (done)
		done(arg, err);
}

void
shm_submit(struct shm *shm, uint32_t to, const struct shm_packet *packet,
	   const struct iovec *pieces, size_t count, stn_done *done, void *arg)
{
	struct shm_peer *peer = &shm->peers[to];
	struct stn_pieces_walk walk = { .from = pieces };

	if (!STAILQ_EMPTY(&peer->ops) ||
	    !shm_put(shm, to, packet, &walk, along(packet))) {
		wait_for_room(shm, to, packet, pieces, count, done, arg);
		return;
	}
	submitted(peer, done, arg);
}

/*
 * Sends a message with a payload, or one that finds no room. Not inlined: the
 * packet would make shm_send's stack frame large.
 */
static __attribute__((noinline)) void
send_packet(struct shm *shm, uint32_t to, uint8_t kind, const void *header,
	    size_t header_bytes, const struct iovec *pieces, size_t count,
	    stn_done *done, void *arg)
{
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

void
shm_send(struct stn_transport *transport, uint32_t to, uint8_t kind,
	 const void *header, size_t header_bytes, const struct iovec *pieces,
	 size_t count, stn_done *done, void *arg)
{
	struct shm *shm = shm_of(transport);
	struct shm_peer *peer = &shm->peers[to];

	if (count <= 1 && peer->open && STAILQ_EMPTY(&peer->ops) &&
	    (count ? put_pair(shm, to, kind, header, header_bytes, pieces)
		   : put_header(shm, to, kind, header, header_bytes)))
		submitted(peer, done, arg);
	else
		send_packet(shm, to, kind, header, header_bytes, pieces, count,
			    done, arg);
}

static void
shm_end_op(struct shm *shm, struct shm_peer *peer, enum stn_err err)
{
	struct shm_op *op = STAILQ_FIRST(&peer->ops);

	STAILQ_REMOVE_HEAD(&peer->ops, link);
	shm_ended(shm, peer);
	if (op->done)
		op->done(op->arg, err);
	free(op);
}

unsigned
shm_send_waiting(struct shm *shm, uint32_t to)
{
	struct shm_peer *peer = &shm->peers[to];
	unsigned did = 0;

	while (!STAILQ_EMPTY(&peer->ops) && peer->open) {
		struct shm_op *op = STAILQ_FIRST(&peer->ops);
		struct stn_pieces_walk walk = { .from = op->pieces };

		if (!shm_put(shm, to, &op->packet, &walk, along(&op->packet)))
			break;
		shm_end_op(shm, peer, shm_wake(peer) ? STN_OK : STN_LOST);
		did++;
	}
	return did;
}

bool
shm_can_send_waiting(struct shm_peer *peer)
{
	const struct shm_op *op = STAILQ_FIRST(&peer->ops);

	return shm_ring_reserve(&peer->out,
				wire_bytes(&op->packet, along(&op->packet)));
}

void
shm_end_waiting(struct shm *shm, struct shm_peer *peer, enum stn_err err)
{
	while (!STAILQ_EMPTY(&peer->ops))
		shm_end_op(shm, peer, err);
}
