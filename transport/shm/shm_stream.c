/*
 * shm_stream.c: large payloads that the receiver can't read by itself
 * (shm_read.c): it asks for the payload, and the sender streams it through the
 * ring in parts, gathered from the application's memory. The receiver copies
 * each part to its destination.
 *
 * Payloads are streamed one after the other, in the order in which they are
 * asked for. So a part always belongs to the oldest pull.
 */
#include <stdlib.h>
#include <string.h>

#include "transport/shm/shm.h"
#include "transport/shm/shm_send.h"
#include "transport/shm/shm_stream.h"

static uint64_t
shm_list_offer(struct shm *shm, uint32_t to, const struct iovec *pieces,
	       size_t count, stn_done *done, void *arg)
{
	size_t bytes = count * sizeof(pieces[0]);
	struct shm_offer *offer;

	offer = stn_or_abort(calloc(1, sizeof(*offer) + bytes));
	offer->left = stn_pieces_bytes(pieces, count);
	offer->readable = count == 1;
	offer->walk.from = offer->pieces;
	stn_append(offer->pieces, pieces, bytes);
	stn_rendezvous_add(&shm->rendezvous, &offer->offer, to, done, arg);
	shm_began(shm, &shm->peers[to]);
	return offer->offer.token;
}

/*
 * The offer has one region. The receiver can read the payload if it has an
 * address.
 */
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
	packet.block[0] = shm_list_offer(shm, to, pieces, count, done, arg);
	packet.block[1] = 1;
	packet.block[2] = count == 1 ? (uintptr_t)pieces[0].iov_base : 0;
	packet.block[4] = bytes;
	packet.block_bytes = SHM_BLOCK_BYTES;
	shm_submit(shm, to, &packet, NULL, 0, NULL, NULL);
}

void
shm_offer_ended(struct stn_transport *transport, struct stn_offer *ended,
		enum stn_err err)
{
	struct shm *shm = shm_of(transport);

	shm_ended(shm, &shm->peers[ended->to]);
	ended->done(ended->arg, err);
	free(ended);
}

static struct shm_offer *
find_offer(const struct shm *shm, uint32_t to, uint64_t token)
{
	return (struct shm_offer *)stn_rendezvous_find(&shm->rendezvous, to,
						       token);
}

bool
shm_stream_done(struct shm *shm, uint32_t from,
		const struct stn_done_block *done)
{
	struct shm_offer *offer = find_offer(shm, from, done->token);

	if (!offer || (done->status && offer->pulled) ||
	    (!done->status && (offer->pulled ? offer->left : !offer->readable)))
		return false;
	stn_offer_end(&offer->offer, done->status ? STN_REFUSED : STN_OK);
	return true;
}

bool
shm_stream_pull(struct shm *shm, uint32_t from, uint64_t token)
{
	struct shm_peer *peer = &shm->peers[from];
	struct shm_offer *offer = find_offer(shm, from, token);

	if (!offer || offer->pulled)
		return false;
	offer->pulled = true;
	STAILQ_INSERT_TAIL(&peer->streams, offer, link);
	return true;
}

/*
 * The receiver copies a part while the sender writes the next one. So the last
 * parts become smaller: then little is left to copy when everything is written.
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

/* Returns false if there is no room. */
static bool
send_part(struct shm *shm, uint32_t to, struct shm_offer *offer)
{
	size_t bytes = part_bytes(offer->left);
	struct shm_packet packet = shm_packet_make(shm, STN_PACKET_DATA, bytes);

	packet.block[0] = offer->offer.token;
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

	while (did < SHM_PARTS && (offer = STAILQ_FIRST(&peer->streams))) {
		if (!send_part(shm, to, offer))
			break;
		did++;
		if (!offer->left)
			STAILQ_REMOVE_HEAD(&peer->streams, link);
	}
	return did;
}

void
shm_answer(struct shm *shm, uint32_t to, uint64_t token, bool refused)
{
	struct shm_packet packet = shm_packet_make(shm, STN_PACKET_DONE, 0);

	if (!shm->peers[to].open)
		return;
	packet.block[0] = token;
	packet.block[1] = refused;
	packet.block_bytes = sizeof(struct stn_done_block);
	shm_submit(shm, to, &packet, NULL, 0, NULL, NULL);
}

void
shm_refuse(struct stn_transport *transport, const struct stn_arrival *arrival)
{
	shm_answer(shm_of(transport), arrival->message.from,
		   ((const struct shm_arrival *)arrival)->token, true);
}

void
shm_stream_ask(struct shm *shm, uint32_t from, struct shm_pull *pull)
{
	struct shm_peer *peer = &shm->peers[from];
	struct shm_packet packet = shm_packet_make(shm, STN_PACKET_PULL, 0);

	STAILQ_INSERT_TAIL(&peer->pulls, pull, link);
	packet.block[0] = pull->token;
	packet.block_bytes = STN_PULL_BYTES;
	shm_submit(shm, from, &packet, NULL, 0, NULL, NULL);
}

void
shm_pull_end(struct shm *shm, struct shm_peer *peer, struct shm_pulls *pulls,
	     enum stn_err err)
{
	struct shm_pull *pull = STAILQ_FIRST(pulls);

	STAILQ_REMOVE_HEAD(pulls, link);
	shm_ended(shm, peer);
	pull->done(pull->arg, err);
	free(pull);
}

bool
shm_stream_data(struct shm *shm, uint32_t from, uint64_t token,
		const unsigned char *payload, size_t bytes)
{
	struct shm_peer *peer = &shm->peers[from];
	struct shm_pull *pull = STAILQ_FIRST(&peer->pulls);
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
	shm_answer(shm, from, token, false);
	shm_pull_end(shm, peer, &peer->pulls, STN_OK);
	return true;
}

void
shm_stream_end(struct shm *shm, uint32_t rank, enum stn_err err)
{
	struct shm_peer *peer = &shm->peers[rank];

	STAILQ_INIT(&peer->streams);
	stn_rendezvous_abandon(&shm->rendezvous, rank, err);
	while (!STAILQ_EMPTY(&peer->reads))
		shm_pull_end(shm, peer, &peer->reads, err);
	while (!STAILQ_EMPTY(&peer->pulls))
		shm_pull_end(shm, peer, &peer->pulls, err);
}
