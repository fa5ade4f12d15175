/*
 * shm_stream.c: large payloads. The receiver of an offer asks for it; the
 * sender streams it through the ring, in parts that it gathers from where the
 * payload lies; the receiver copies each part to where it belongs. Both copy at
 * the same time, each from its own cache or into it: for what is larger than a
 * cache that is faster than one copy by the kernel from the other's memory.
 * What is smaller the receiver reads so, if the kernel lets it, and the sender
 * has nothing to do.
 *
 * Offers are streamed in the order in which they are asked for, one after the
 * other, so a part always belongs to the oldest pull.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "transport/shm/shm.h"

static struct iovec *
copy_pieces(struct iovec *to, const struct iovec *pieces, size_t count)
{
	if (count)
		memcpy(to, pieces, count * sizeof(pieces[0]));
	return to;
}

static uint64_t
list_offer(struct shm *shm, uint32_t to, const struct iovec *pieces,
	   size_t count, stn_done *done, void *arg)
{
	struct shm_peer *peer = &shm->peers[to];
	struct shm_offer *offer;

	offer = shm_allocate(sizeof(*offer) + count * sizeof(pieces[0]));
	offer->token = ++shm->last_token;
	offer->done = done;
	offer->arg = arg;
	offer->left = stn_pieces_bytes(pieces, count);
	offer->readable = count == 1;
	offer->walk.from = copy_pieces(offer->pieces, pieces, count);
	*peer->last_offer = offer;
	peer->last_offer = &offer->next;
	shm_began(shm, peer);
	return offer->token;
}

/* An offer of one region, which the receiver can read if it has an address. */
void
shm_offer(struct stn_transport *transport, uint32_t to, uint8_t kind,
	  const void *header, size_t header_bytes, const struct iovec *pieces,
	  size_t count, stn_done *done, void *arg)
{
	struct shm *shm = shm_of(transport);
	size_t bytes = stn_pieces_bytes(pieces, count);
	struct shm_packet packet;

	if (!shm->peers[to].open) {
		done(arg, shm->closing ? STN_CANCELLED : STN_LOST);
		return;
	}
	packet = shm_packet_make(shm, STN_PACKET_OFFER, bytes);
	packet.packet.kind = kind;
	packet.packet.header_bytes = (uint16_t)header_bytes;
	packet.header = header;
	packet.block[0] = list_offer(shm, to, pieces, count, done, arg);
	packet.block[1] = 1;
	packet.block[2] = count == 1 ? (uintptr_t)pieces[0].iov_base : 0;
	packet.block[4] = bytes;
	packet.block_bytes = SHM_BLOCK_BYTES;
	shm_submit(shm, to, &packet, NULL, 0, NULL, NULL);
}

/* Where an offer to a peer is linked; its end if there is none such. */
static struct shm_offer **
find_offer(struct shm_peer *peer, uint64_t token)
{
	struct shm_offer **at = &peer->offers;

	while (*at && (*at)->token != token)
		at = &(*at)->next;
	return at;
}

static void
end_offer(struct shm *shm, struct shm_peer *peer, struct shm_offer **at,
	  enum stn_err err)
{
	struct shm_offer *offer = *at;

	*at = offer->next;
	if (!*at)
		peer->last_offer = at;
	shm_ended(shm, peer);
	offer->done(offer->arg, err);
	free(offer);
}

bool
shm_stream_done(struct shm *shm, uint32_t from, uint64_t token, bool refused)
{
	struct shm_peer *peer = &shm->peers[from];
	struct shm_offer **at = find_offer(peer, token), *offer = *at;

	if (!offer || (refused && offer->pulled) ||
	    (!refused && (offer->pulled ? offer->left : !offer->readable)))
		return false;
	end_offer(shm, peer, at, refused ? STN_REFUSED : STN_OK);
	return true;
}

bool
shm_stream_pull(struct shm *shm, uint32_t from, uint64_t token)
{
	struct shm_peer *peer = &shm->peers[from];
	struct shm_offer *offer = *find_offer(peer, token);

	if (!offer || offer->pulled)
		return false;
	offer->pulled = true;
	*peer->last_stream = offer;
	peer->last_stream = &offer->next_stream;
	return true;
}

/*
 * The receiver copies a part while the next one is being written, so the last
 * parts become smaller: then less is left to copy when all has been written.
 */
static size_t
part_bytes(size_t left)
{
	size_t half = left / 2 / SHM_LINE * SHM_LINE;

	if (half > SHM_PART_MOST)
		return SHM_PART_MOST;
	if (half > SHM_PART_LEAST)
		return half;
	return left < SHM_PART_LEAST ? left : SHM_PART_LEAST;
}

/* False if there is no room. */
static bool
send_part(struct shm *shm, uint32_t to, struct shm_offer *offer)
{
	size_t bytes = part_bytes(offer->left);
	struct shm_packet packet = shm_packet_make(shm, STN_PACKET_DATA, bytes);

	packet.block[0] = offer->token;
	packet.block_bytes = STN_DATA_BYTES;
	if (!shm_put(shm, to, &packet, &offer->walk, bytes))
		return false;
	offer->left -= bytes;
	return true;
}

unsigned
shm_stream_send(struct shm *shm, uint32_t to)
{
	struct shm_peer *peer = &shm->peers[to];
	struct shm_offer *offer;
	unsigned did = 0;

	while (did < SHM_PARTS && (offer = peer->streams)) {
		if (!send_part(shm, to, offer))
			break;
		did++;
		if (offer->left)
			continue;
		peer->streams = offer->next_stream;
		if (!peer->streams)
			peer->last_stream = &peer->streams;
	}
	return did;
}

static void
answer(struct shm *shm, uint32_t to, uint64_t token, bool refused)
{
	struct shm_packet packet = shm_packet_make(shm, STN_PACKET_DONE, 0);

	if (!shm->peers[to].open)
		return;
	packet.block[0] = token;
	packet.block[1] = refused;
	packet.block_bytes = sizeof(struct stn_done_block);
	shm_submit(shm, to, &packet, NULL, 0, NULL, NULL);
}

/*
 * Reads an offered payload out of the sender's memory. If the sender has closed
 * its end meanwhile, the memory may have been another's: then it doesn't count.
 */
static bool
read_it(struct shm *shm, const struct shm_arrival *arrival,
	const struct iovec *pieces, size_t count)
{
	size_t bytes = arrival->arrival.message.payload_bytes;
	struct shm_peer *peer = &shm->peers[arrival->arrival.message.from];
	struct iovec there = { (void *)(uintptr_t)arrival->address, bytes };
	ssize_t got;

	if (shm->mute || !arrival->address || bytes > SHM_READ_BYTES ||
	    count > IOV_MAX)
		return false;
	got = process_vm_readv(peer->process, pieces, count, &there, 1, 0);
	if (got < 0 && (errno == EPERM || errno == ENOSYS))
		shm->mute = true;
	return got == (ssize_t)bytes &&
	       !(atomic_load_explicit(&peer->segment->state,
				      memory_order_acquire) &
		 SHM_CLOSED);
}

void
shm_pull(struct stn_transport *transport, const struct stn_arrival *arrival,
	 const struct iovec *pieces, size_t count, stn_done *done, void *arg)
{
	struct shm *shm = shm_of(transport);
	uint32_t from = arrival->message.from;
	struct shm_peer *peer = &shm->peers[from];
	uint64_t token = ((const struct shm_arrival *)arrival)->token;
	struct shm_packet packet;
	struct shm_pull *pull;

	if (!peer->open) {
		done(arg, shm->closing ? STN_CANCELLED : STN_LOST);
		return;
	}
	if (read_it(shm, (const struct shm_arrival *)arrival, pieces, count)) {
		answer(shm, from, token, false);
		done(arg, STN_OK);
		return;
	}
	pull = shm_allocate(sizeof(*pull) + count * sizeof(pieces[0]));
	pull->token = token;
	pull->done = done;
	pull->arg = arg;
	pull->left = arrival->message.payload_bytes;
	pull->walk.to = copy_pieces(pull->pieces, pieces, count);
	*peer->last_pull = pull;
	peer->last_pull = &pull->next;
	shm_began(shm, peer);
	packet = shm_packet_make(shm, STN_PACKET_PULL, 0);
	packet.block[0] = token;
	packet.block_bytes = STN_PULL_BYTES;
	shm_submit(shm, from, &packet, NULL, 0, NULL, NULL);
}

void
shm_refuse(struct stn_transport *transport, const struct stn_arrival *arrival)
{
	answer(shm_of(transport), arrival->message.from,
	       ((const struct shm_arrival *)arrival)->token, true);
}

static void
end_pull(struct shm *shm, struct shm_peer *peer, enum stn_err err)
{
	struct shm_pull *pull = peer->pulls;

	peer->pulls = pull->next;
	if (!peer->pulls)
		peer->last_pull = &peer->pulls;
	shm_ended(shm, peer);
	pull->done(pull->arg, err);
	free(pull);
}

bool
shm_stream_data(struct shm *shm, uint32_t from, uint64_t token,
		const unsigned char *payload, size_t bytes)
{
	struct shm_peer *peer = &shm->peers[from];
	struct shm_pull *pull = peer->pulls;
	struct iovec part = { (void *)payload, bytes };

	if (!pull || pull->token != token || bytes > pull->left)
		return false;
	pull->walk.from = &part;
	pull->walk.from_offset = 0;
	stn_pieces_go(&pull->walk, bytes);
	shm->base.traffic.bytes_copied += bytes;
	pull->left -= bytes;
	if (pull->left)
		return true;
	answer(shm, from, token, false);
	end_pull(shm, peer, STN_OK);
	return true;
}

void
shm_stream_end(struct shm *shm, uint32_t rank, enum stn_err err)
{
	struct shm_peer *peer = &shm->peers[rank];

	peer->streams = NULL;
	peer->last_stream = &peer->streams;
	while (peer->offers)
		end_offer(shm, peer, &peer->offers, err);
	while (peer->pulls)
		end_pull(shm, peer, err);
}
