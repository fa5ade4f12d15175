/*
 * verbs_pull.c: large payloads. The sender registers the payload's memory and
 * sends its addresses. The receiver registers the destination, reads the
 * payload, and tells the sender. At either end, a payload with more pieces than
 * an offer has regions is copied once, because many small registrations would
 * cost more.
 */
#include <stdlib.h>
#include <string.h>

#include "transport/pieces.h"
#include "transport/verbs/verbs.h"
#include "transport/verbs/verbs_memory.h"
#include "transport/verbs/verbs_send.h"

/* Registered memory, which the device reads or writes. */
struct pins {
	void *copy; /* of a payload in too many pieces */
	size_t count;
	struct iovec pieces[STN_REGIONS];
	struct ibv_mr *regions[STN_REGIONS];
};

static void
unpin(struct verbs *verbs, struct pins *pins)
{
	for (size_t i = 0; i < pins->count; i++)
		verbs_memory_put(verbs, pins->regions[i]);
	free(pins->copy);
	*pins = (struct pins){ .count = 0 };
}

static bool
pin_piece(struct verbs *verbs, struct pins *pins, const struct iovec *piece,
	  bool write)
{
	struct ibv_mr *region = verbs_memory_get(verbs, piece, write);

	if (!region)
		return false;
	pins->pieces[pins->count] = *piece;
	pins->regions[pins->count++] = region;
	return true;
}

/* Returns false if memory runs out, or may not be locked. */
static bool
pin(struct verbs *verbs, struct pins *pins, const struct iovec *pieces,
    size_t count, bool write)
{
	struct iovec all = { NULL, stn_pieces_bytes(pieces, count) };

	*pins = (struct pins){ .count = 0 };
	if (count > STN_REGIONS) {
		all.iov_base = pins->copy = malloc(all.iov_len);
		if (!pins->copy)
			return false;
		pieces = &all;
		count = 1;
	}
	for (size_t i = 0; i < count; i++)
		if (pieces[i].iov_len &&
		    !pin_piece(verbs, pins, &pieces[i], write)) {
			unpin(verbs, pins);
			return false;
		}
	return true;
}

struct offer {
	struct stn_offer offer; /* first */
	struct pins pins;
};

void
verbs_offer_ended(struct stn_transport *transport, struct stn_offer *ended,
		  enum stn_err err)
{
	unpin(verbs_of(transport), &((struct offer *)ended)->pins);
	ended->done(ended->arg, err);
	free(ended);
}

static struct stn_offer_block
verbs_describe(const struct offer *offer)
{
	struct stn_offer_block block = { .token = offer->offer.token,
					 .count = offer->pins.count };

	for (size_t i = 0; i < offer->pins.count; i++)
		block.regions[i] = (struct stn_region){
			.address = (uintptr_t)offer->pins.pieces[i].iov_base,
			.key = offer->pins.regions[i]->rkey,
			.bytes = offer->pins.pieces[i].iov_len,
		};
	return block;
}

static struct offer *
verbs_offer_create(struct verbs *verbs, const struct iovec *pieces,
		   size_t count)
{
	struct offer *offer = stn_or_abort(calloc(1, sizeof(*offer)));

	if (!pin(verbs, &offer->pins, pieces, count, false)) {
		free(offer);
		return NULL;
	}
	if (offer->pins.copy) {
		size_t bytes = offer->pins.pieces[0].iov_len;

		stn_pieces_copy(&offer->pins.pieces[0], pieces, bytes);
		verbs->base.traffic.bytes_copied += bytes;
	}
	return offer;
}

void
verbs_offer(struct stn_transport *transport, uint32_t to, uint8_t kind,
	    const void *header, size_t header_bytes, const struct iovec *pieces,
	    size_t count, stn_done *done, void *arg)
{
	struct verbs *verbs = verbs_of(transport);
	struct stn_offer_block block;
	struct verbs_message message = {
		.packet = stn_packet_make(verbs->base.opening.rank,
					  STN_PACKET_OFFER, kind, header_bytes,
					  stn_pieces_bytes(pieces, count)),
		.header = header,
		.block = &block,
	};
	struct offer *offer;

	if (verbs->closing || verbs->peers[to].dead) {
		done(arg, verbs->closing ? STN_CANCELLED : STN_LOST);
		return;
	}
	offer = verbs_offer_create(verbs, pieces, count);
	if (!offer) {
		done(arg, STN_NO_MEMORY);
		return;
	}
	stn_rendezvous_add(&verbs->rendezvous, &offer->offer, to, done, arg);
	block = verbs_describe(offer);
	message.block_bytes = STN_OFFER_BYTES(block.count);
	verbs_send_message(verbs, to, &message, NULL, NULL);
}

/* Tells the sender of an offer how it ended. */
static void
verbs_answer(struct verbs *verbs, uint32_t to, uint64_t token, bool refused)
{
	struct stn_done_block block = { token, refused };
	struct verbs_message message = {
		.packet = stn_packet_make(verbs->base.opening.rank,
					  STN_PACKET_DONE, 0, 0, 0),
		.block = &block,
		.block_bytes = sizeof(block),
	};

	verbs_send_message(verbs, to, &message, NULL, NULL);
}

/* A payload that this endpoint reads. */
struct pull {
	struct stn_pull pull; /* first */
	struct pins pins;
	struct iovec pieces[]; /* the destination of a payload that is copied */
};

struct reading {
	struct verbs_op op;
	struct pull *pull;
	struct stn_read read;
	uint32_t key; /* of the region that the read writes to */
	bool posted;
};

/*
 * If the device can work on no read, one is posted nevertheless: it fails, and
 * the pull ends.
 */
static bool
reading_post(struct verbs *verbs, struct verbs_op *op)
{
	struct verbs_peer *peer = &verbs->peers[op->to];
	struct reading *reading = (struct reading *)op;
	const struct stn_read *read = &reading->read;
	struct ibv_sge entry = { (uintptr_t)read->to, (uint32_t)read->bytes,
				 reading->key };
	struct ibv_send_wr work = {
		.sg_list = &entry,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_READ,
		.wr.rdma = { read->address, (uint32_t)read->key },
	};

	if ((peer->reads_posted && peer->reads_posted >= peer->reads_most) ||
	    !verbs_post_work(verbs, op->to, &work, op))
		return false;
	reading->posted = true;
	peer->reads_posted++;
	return true;
}

static void
pull_copy(struct verbs *verbs, struct pull *pull)
{
	size_t bytes = pull->pins.pieces[0].iov_len;

	stn_pieces_copy(pull->pieces, &pull->pins.pieces[0], bytes);
	verbs->base.traffic.bytes_copied += bytes;
}

static void
verbs_pull_release(struct verbs *verbs, struct pull *mine, enum stn_err err)
{
	struct stn_pull *pull = &mine->pull;

	if (!stn_pull_release(pull, err))
		return;
	if (!pull->err && mine->pins.copy)
		pull_copy(verbs, mine);
	unpin(verbs, &mine->pins);
	verbs_answer(verbs, pull->from, pull->token, pull->err);
	pull->done(pull->arg, pull->err);
	free(mine);
}

static void
reading_ended(struct verbs *verbs, struct verbs_op *op, enum stn_err err)
{
	struct reading *reading = (struct reading *)op;
	struct pull *pull = reading->pull;

	verbs->reading--;
	verbs->peers[op->to].reads_posted -= reading->posted;
	free(reading);
	verbs_pull_release(verbs, pull, err);
}

static void
read_once(struct verbs *verbs, struct pull *pull, const struct stn_read *read)
{
	struct reading *reading = stn_or_abort(calloc(1, sizeof(*reading)));

	reading->op = (struct verbs_op){ .post = reading_post,
					 .ended = reading_ended,
					 .to = pull->pull.from };
	reading->pull = pull;
	reading->read = *read;
	reading->key =
		pull->pins.regions[read->piece - pull->pins.pieces]->lkey;
	pull->pull.users++;
	verbs->reading++;
	verbs_submit_read(verbs, &reading->op);
}

void
verbs_pull(struct stn_transport *transport, const struct stn_arrival *arrival,
	   const struct iovec *pieces, size_t count, stn_done *done, void *arg)
{
	const struct stn_offered *offered = (const struct stn_offered *)arrival;
	struct verbs *verbs = verbs_of(transport);
	size_t bytes = count * sizeof(pieces[0]);
	struct pull *pull = stn_or_abort(calloc(1, sizeof(*pull) + bytes));
	struct stn_reads reads;
	struct stn_read read;

	stn_pull_init(&pull->pull, offered, done, arg);
	memcpy(pull->pieces, pieces, bytes);
	if (!pin(verbs, &pull->pins, pieces, count, true)) {
		verbs_pull_release(verbs, pull, STN_NO_MEMORY);
		return;
	}
	stn_reads_begin(&reads, offered, pull->pins.pieces);
	while (stn_reads_next(&reads, &read))
		read_once(verbs, pull, &read);
	verbs_pull_release(verbs, pull, STN_OK);
}

void
verbs_refuse(struct stn_transport *transport, const struct stn_arrival *arrival)
{
	const struct stn_offered *offered = (const struct stn_offered *)arrival;

	verbs_answer(verbs_of(transport), arrival->message.from,
		     offered->offer->token, true);
}
