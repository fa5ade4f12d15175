/*
 * shm_receive.c: receives messages from the rings of this endpoint's segment.
 */
#include <stddef.h>
#include <string.h>

#include "transport/shm/shm.h"
#include "transport/shm/shm_send.h"
#include "transport/shm/shm_stream.h"

/*
 * Follows a copy out of the ring, before its check. A malicious peer may change
 * the bytes in the ring between the check and the use of the copy. Without this
 * barrier the compiler could read the ring a second time instead of the copy.
 * It orders no accesses between threads, so it has no pair.
 */
static inline void
copied(void)
{
	atomic_signal_fence(memory_order_seq_cst);
}

/*
 * Copies a message's header, at @at in the ring, out of it. Whole parts of
 * fixed lengths, for which the compiler needs no loop: the ring holds whole
 * pairs of lines.
 */
static inline void
copy_header_out(unsigned char *to, const unsigned char *at, size_t size)
{
	const size_t front = SHM_FRONT_BYTES - STN_PACKET_BYTES;
	const size_t pair = front + SHM_LINE;

	memcpy(to, at, front);
	if (size > front)
		memcpy(to + front, at + front, SHM_LINE);
	if (size > pair)
		memcpy(to + pair, at + pair, STN_HEADER_BYTES - pair);
}

/*
 * Handles a message with its payload, without the parser: requests, grants and
 * their like, whose latency counts. The header is copied out of the ring,
 * because a broken peer could change it after a check. Returns false if the
 * packet is anything else.
 */
static bool
handle_eager(struct shm *shm, uint32_t from, const unsigned char *bytes,
	     size_t size)
{
	_Alignas(max_align_t) unsigned char header[STN_HEADER_BYTES];
	struct shm_arrival arrival;
	struct stn_packet packet;

	memcpy(&packet, bytes, sizeof(packet)); /* the ring holds whole lines */
	copied();
	if (!stn_packet_is_eager(&packet, from, size))
		return false;
	copy_header_out(header, bytes + sizeof(packet), packet.header_bytes);
	arrival.arrival.message = (struct stn_message){
		.from = from,
		.kind = packet.kind,
		.header = header,
		.header_bytes = packet.header_bytes,
		.payload_bytes = packet.payload_bytes,
	};
	arrival.arrival.payload = bytes + sizeof(packet) + packet.header_bytes;
	shm->base.traffic.bytes_copied += packet.header_bytes;
	shm->base.opening.handler(shm->base.opening.arg,
				  &arrival.arrival.message);
	return true;
}

/*
 * Copies the bytes that the parser checks out of the ring, because a broken
 * peer could change them after the check. The other bytes stay in the ring.
 */
static void
copy_out(unsigned char *to, const unsigned char *bytes, size_t size)
{
	struct stn_packet packet;
	size_t head;

	memcpy(to, bytes, SHM_FRONT_BYTES); /* the ring holds whole lines */
	copied();
	memcpy(&packet, to, sizeof(packet));
	head = sizeof(packet) + packet.header_bytes;
	if (packet.type != STN_PACKET_EAGER)
		head += sizeof(struct stn_offer_block);
	if (head > STN_PARSED_BYTES)
		head = STN_PARSED_BYTES;
	if (head > size)
		head = size;
	if (head > SHM_FRONT_BYTES)
		memcpy(to + SHM_FRONT_BYTES, bytes + SHM_FRONT_BYTES,
		       head - SHM_FRONT_BYTES);
}

/*
 * Handles packets that are not messages. Returns false if the packet is a
 * message, or makes no sense.
 */
static bool
handle_stream(struct shm *shm, uint32_t from, const struct stn_parsed *parsed,
	      const unsigned char *payload)
{
	switch (parsed->packet.type) {
	case STN_PACKET_DONE:
		return shm_stream_done(shm, from, &parsed->done);
	case STN_PACKET_PULL:
		return shm_stream_pull(shm, from, parsed->token);
	case STN_PACKET_DATA:
		return shm_stream_data(shm, from, parsed->token, payload,
				       parsed->packet.payload_bytes);
	}
	return false;
}

static void
handle_offer(struct shm *shm, const struct stn_parsed *parsed)
{
	struct shm_arrival arrival = {
		.arrival.message = stn_packet_message(parsed),
		.token = parsed->offer.token,
		.address = parsed->offer.regions[0].address,
	};

	shm->base.traffic.bytes_copied += parsed->packet.header_bytes;
	shm->base.opening.handler(shm->base.opening.arg,
				  &arrival.arrival.message);
}

/* Handles any packet but a well-formed message with its payload. */
static void
handle_parsed(struct shm *shm, uint32_t from, const unsigned char *bytes,
	      size_t size)
{
	unsigned char head[STN_PARSED_BYTES];
	const unsigned char *payload = NULL;
	struct stn_parsed parsed;
	enum stn_err err;

	copy_out(head, bytes, size);
	copied();
	err = stn_packet_parse_streamed(head, size, shm->base.nodes, &parsed);
	if (err || parsed.packet.from != from) {
		stn_packet_malformed(&shm->base.opening, from);
		return;
	}
	if (parsed.packet.type == STN_PACKET_DATA)
		payload = bytes + (parsed.payload - head);
	if (parsed.packet.type == STN_PACKET_OFFER)
		handle_offer(shm, &parsed);
	else if (!handle_stream(shm, from, &parsed, payload))
		stn_packet_malformed(&shm->base.opening, from);
}

/* Receives from one node. If its ring is corrupt, the node is lost. */
static unsigned
receive(struct shm *shm, uint32_t from)
{
	struct shm_peer *peer = &shm->peers[from];
	const unsigned char *bytes;
	unsigned did;
	size_t size;

	for (did = 0; did < SHM_BATCH && !shm_ring_is_empty(&peer->in); did++) {
		if (shm_ring_next(&peer->in, &bytes, &size)) {
			shm_forget_sender(shm, from);
			stn_packet_malformed(&shm->base.opening, from);
			stn_peers_lost(&shm->base, from,
				       "what it sends makes no sense");
			break;
		}
		if (!bytes)
			break;
		shm_ring_prefetch_next(&peer->in, size);
		if (!handle_eager(shm, from, bytes, size))
			handle_parsed(shm, from, bytes, size);
		if (shm_ring_consume(&peer->in, size) && peer->segment)
			shm_wake(peer);
	}
	return did;
}

/*
 * The list of senders, and the number of those that were seen, are written
 * under the caller's lock. Any thread may read them in shm_has_news, as hints:
 * relaxed, pairs with nothing.
 */
static void
senders_set(uint32_t *member, uint32_t value)
{
	__atomic_store_n(member, value, __ATOMIC_RELAXED);
}

static uint32_t
senders_get(const uint32_t *member)
{
	return __atomic_load_n(member, __ATOMIC_RELAXED);
}

static bool
has_new_senders(const struct shm *shm)
{
	return atomic_load_explicit(&shm->segment->joined,
				    memory_order_acquire) !=
	       senders_get(&shm->joined);
}

static void
find_senders(struct shm *shm)
{
	senders_set(&shm->joined, atomic_load_explicit(&shm->segment->joined,
						       memory_order_acquire));
	for (uint32_t i = 0; i < shm->base.nodes; i++) {
		struct shm_lane *lane = &shm->segment->lanes[i];

		if (shm->peers[i].sends ||
		    !atomic_load_explicit(&lane->joined, memory_order_acquire))
			continue;
		shm->peers[i].sends = true;
		senders_set(&shm->senders[shm->sender_count], i);
		senders_set(&shm->sender_count, shm->sender_count + 1);
	}
}

unsigned
shm_receive(struct shm *shm)
{
	unsigned did = 0;

	if (has_new_senders(shm))
		find_senders(shm);
	for (uint32_t i = 0; i < shm->sender_count; i++)
		did += receive(shm, shm->senders[i]);
	return did;
}

bool
shm_has_news(const struct shm *shm)
{
	if (has_new_senders(shm))
		return true;
	for (uint32_t i = 0; i < senders_get(&shm->sender_count); i++) {
		uint32_t sender = senders_get(&shm->senders[i]);

		if (!shm_ring_is_empty(&shm->peers[sender].in))
			return true;
	}
	return false;
}

bool
shm_is_drained(const struct shm *shm, uint32_t rank)
{
	const struct shm_lane *lane = &shm->segment->lanes[rank];

	return !atomic_load_explicit(&lane->joined, memory_order_acquire) ||
	       shm_ring_is_empty(&shm->peers[rank].in);
}

void
shm_forget_sender(struct shm *shm, uint32_t rank)
{
	for (uint32_t i = 0; i < shm->sender_count; i++) {
		if (shm->senders[i] != rank)
			continue;
		senders_set(&shm->sender_count, shm->sender_count - 1);
		senders_set(&shm->senders[i--],
			    shm->senders[shm->sender_count]);
	}
}
