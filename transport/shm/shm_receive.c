/*
 * shm_receive.c: what arrives by the rings of this endpoint's segment.
 */
#include <string.h>

#include "transport/shm/shm.h"

/*
 * Copies what the parser looks at out of the ring, where a broken peer could
 * change it after it has been checked. What it doesn't look at stays there.
 */
static void
copy_out(unsigned char *to, const unsigned char *bytes, size_t size)
{
	struct stn_packet packet;
	size_t head;

	memcpy(to, bytes, SHM_FRONT_BYTES); /* there is always a whole line */
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

/* Packets that are no messages; false if it is one, or makes no sense. */
static bool
handle_stream(struct shm *shm, uint32_t from, const struct stn_parsed *parsed,
	      const unsigned char *payload)
{
	switch (parsed->packet.type) {
	case STN_PACKET_DONE:
		return shm_stream_done(shm, from, parsed->done.token,
				       parsed->done.status);
	case STN_PACKET_PULL:
		return shm_stream_pull(shm, from, parsed->token);
	case STN_PACKET_DATA:
		return shm_stream_data(shm, from, parsed->token, payload,
				       parsed->packet.payload_bytes);
	}
	return false;
}

/* What can't be parsed is shown as a message of kind 0, which nobody sends. */
static void
handle_malformed(struct shm *shm, uint32_t from)
{
	struct shm_arrival arrival = { .arrival.message.from = from };

	shm->opening.handler(shm->opening.arg, &arrival.arrival.message);
}

static void
handle_message(struct shm *shm, const struct stn_parsed *parsed,
	       const unsigned char *payload)
{
	struct shm_arrival arrival = {
		.arrival.message = {
			.from = parsed->packet.from,
			.kind = parsed->packet.kind,
			.header = parsed->header,
			.header_bytes = parsed->packet.header_bytes,
			.payload_bytes = parsed->packet.payload_bytes,
		},
	};

	if (parsed->packet.type == STN_PACKET_EAGER) {
		arrival.arrival.payload = payload;
	} else {
		arrival.token = parsed->offer.token;
		arrival.address = parsed->offer.regions[0].address;
	}
	shm->base.traffic.bytes_copied += parsed->packet.header_bytes;
	shm->opening.handler(shm->opening.arg, &arrival.arrival.message);
}

static void
handle(struct shm *shm, uint32_t from, const unsigned char *bytes, size_t size)
{
	unsigned char head[STN_PARSED_BYTES];
	const unsigned char *payload = NULL;
	struct stn_parsed parsed;
	enum stn_err err;

	copy_out(head, bytes, size);
	err = stn_packet_parse_streamed(head, size,
					shm->opening.topology->nodes, &parsed);
	if (err || parsed.packet.from != from) {
		handle_malformed(shm, from);
		return;
	}
	if (parsed.packet.type == STN_PACKET_EAGER ||
	    parsed.packet.type == STN_PACKET_DATA)
		payload = bytes + (parsed.payload - head);
	if (parsed.packet.type <= STN_PACKET_OFFER)
		handle_message(shm, &parsed, payload);
	else if (!handle_stream(shm, from, &parsed, payload))
		handle_malformed(shm, from);
}

/* Receives from one node; a ring that can't be read on is its end. */
static unsigned
receive(struct shm *shm, uint32_t from)
{
	struct shm_peer *peer = &shm->peers[from];
	const unsigned char *bytes;
	unsigned did;
	size_t size;

	for (did = 0; did < SHM_BATCH; did++) {
		if (shm_ring_next(&peer->in, &bytes, &size)) {
			shm_forget_sender(shm, from);
			handle_malformed(shm, from);
			stn_peers_lost(&shm->base, from,
				       "what it sends makes no sense");
			break;
		}
		if (!bytes)
			break;
		handle(shm, from, bytes, size);
		if (shm_ring_consume(&peer->in, size) && peer->segment)
			shm_wake(peer);
	}
	return did;
}

static bool
is_empty(const struct shm_consumer *ring)
{
	const unsigned char *bytes;
	size_t size;

	return !shm_ring_next(ring, &bytes, &size) && !bytes;
}

static bool
has_new_senders(const struct shm *shm)
{
	return atomic_load_explicit(&shm->segment->joined,
				    memory_order_acquire) != shm->joined;
}

static void
look_for_senders(struct shm *shm)
{
	shm->joined = atomic_load_explicit(&shm->segment->joined,
					   memory_order_acquire);
	for (uint32_t i = 0; i < shm->opening.topology->nodes; i++) {
		struct shm_lane *lane = &shm->segment->lanes[i];

		if (shm->peers[i].heard ||
		    !atomic_load_explicit(&lane->joined, memory_order_acquire))
			continue;
		shm->peers[i].heard = true;
		shm->heard[shm->heard_count++] = i;
	}
}

unsigned
shm_receive(struct shm *shm)
{
	unsigned did = 0;

	if (has_new_senders(shm))
		look_for_senders(shm);
	for (uint32_t i = 0; i < shm->heard_count; i++)
		did += receive(shm, shm->heard[i]);
	return did;
}

bool
shm_has_news(const struct shm *shm)
{
	if (has_new_senders(shm))
		return true;
	for (uint32_t i = 0; i < shm->heard_count; i++)
		if (!is_empty(&shm->peers[shm->heard[i]].in))
			return true;
	return false;
}

bool
shm_is_drained(const struct shm *shm, uint32_t rank)
{
	const struct shm_lane *lane = &shm->segment->lanes[rank];

	return !atomic_load_explicit(&lane->joined, memory_order_acquire) ||
	       is_empty(&shm->peers[rank].in);
}

void
shm_forget_sender(struct shm *shm, uint32_t rank)
{
	for (uint32_t i = 0; i < shm->heard_count; i++)
		if (shm->heard[i] == rank)
			shm->heard[i--] = shm->heard[--shm->heard_count];
}
