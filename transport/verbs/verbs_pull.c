/*
 * verbs_pull.c: large payloads. The sender registers them and says where they
 * are; the receiver registers where they are to go, reads them, and says so.
 * At either end, a payload in more pieces than an offer has regions is copied
 * once: so many small registrations would cost more.
 *
 * What is registered for one operation is forgotten with it. Where the device
 * reaches all memory by page faults, nothing is: the kernel keeps that right
 * while memory comes and goes, which a list of registrations would not.
 */
#include <stdlib.h>
#include <string.h>

#include "transport/pieces.h"
#include "transport/verbs/verbs.h"

/*
 * The most that one read fetches: more would only have to be repeated from
 * further back when a packet is lost.
 */
#define READ_BYTES ((size_t)1 << 20)

/* Memory that the device reads or writes. */
struct pins {
	void *copy; /* of a payload in too many pieces */
	size_t count;
	struct iovec pieces[STN_REGIONS];
	struct ibv_mr *regions[STN_REGIONS];
};

static bool
is_everywhere(const struct verbs *verbs, const struct ibv_mr *region)
{
	return region == verbs->anywhere[0] || region == verbs->anywhere[1];
}

static void
unpin(struct verbs *verbs, struct pins *pins)
{
	for (size_t i = 0; i < pins->count; i++)
		if (!is_everywhere(verbs, pins->regions[i]))
			verbs->library.dereg_mr(pins->regions[i]);
	free(pins->copy);
	*pins = (struct pins){ .count = 0 };
}

static bool
pin_piece(struct verbs *verbs, struct pins *pins, const struct iovec *piece,
	  bool write)
{
	struct ibv_mr *region = verbs->anywhere[write];

	if (!region)
		region = verbs->library.reg_mr(verbs->domain, piece->iov_base,
					       piece->iov_len,
					       write ? IBV_ACCESS_LOCAL_WRITE
						     : IBV_ACCESS_REMOTE_READ);
	if (!region)
		return false;
	pins->pieces[pins->count] = *piece;
	pins->regions[pins->count++] = region;
	return true;
}

/* False: there is not enough memory, or it may not be locked. */
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
	struct verbs *verbs;
	struct pins pins;
};

void
verbs_offer_release(struct stn_offer *offer)
{
	struct offer *mine = (struct offer *)offer;

	unpin(mine->verbs, &mine->pins);
	free(mine);
}

static struct stn_offer_block
describe(const struct offer *offer)
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
offer_create(struct verbs *verbs, const struct iovec *pieces, size_t count)
{
	struct offer *offer = calloc(1, sizeof(*offer));

	if (!offer)
		abort();
	offer->verbs = verbs;
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
	struct verbs_letter letter = {
		.packet = stn_packet_make(verbs->opening.rank, STN_PACKET_OFFER,
					  kind, header_bytes,
					  stn_pieces_bytes(pieces, count)),
		.header = header,
		.block = &block,
	};
	struct offer *offer;

	if (verbs->closing || verbs->peers[to].dead) {
		done(arg, verbs->closing ? STN_CANCELLED : STN_LOST);
		return;
	}
	offer = offer_create(verbs, pieces, count);
	if (!offer) {
		done(arg, STN_NO_MEMORY);
		return;
	}
	stn_offers_add(&verbs->offers, &offer->offer, to, done, arg);
	block = describe(offer);
	letter.block_bytes = STN_OFFER_BYTES(block.count);
	verbs_send_letter(verbs, to, &letter, NULL, NULL);
}

/* Lets the sender of an offer know how it ended. */
static void
answer(struct verbs *verbs, uint32_t to, uint64_t token, bool refused)
{
	struct stn_done_block block = { token, refused };
	struct verbs_letter letter = {
		.packet = stn_packet_make(verbs->opening.rank, STN_PACKET_DONE,
					  0, 0, 0),
		.block = &block,
		.block_bytes = sizeof(block),
	};

	verbs_send_letter(verbs, to, &letter, NULL, NULL);
}

/* A payload that is being read, by one read for each stretch. */
struct pull {
	uint32_t from;
	uint64_t token;
	size_t users;	  /* reads that have not ended, and who starts them */
	enum stn_err err; /* the first */
	stn_done *done;
	void *arg;
	struct pins pins;
	struct iovec pieces[]; /* where a copy goes in the end */
};

struct reading {
	struct verbs_op op;
	struct pull *pull;
	uintptr_t to;
	uint32_t bytes, key, their_key;
	uint64_t address;
};

static bool
reading_post(struct verbs *verbs, struct verbs_op *op)
{
	struct reading *reading = (struct reading *)op;
	struct ibv_sge entry = { reading->to, reading->bytes, reading->key };
	struct ibv_send_wr work = {
		.sg_list = &entry,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_READ,
		.wr.rdma = { reading->address, reading->their_key },
	};

	return verbs_post_work(verbs, op->to, &work, op);
}

static void
pull_copy(struct verbs *verbs, struct pull *pull)
{
	size_t bytes = pull->pins.pieces[0].iov_len;

	stn_pieces_copy(pull->pieces, &pull->pins.pieces[0], bytes);
	verbs->base.traffic.bytes_copied += bytes;
}

/* One of those who use the pull has ended; the last one ends it. */
static void
pull_release(struct verbs *verbs, struct pull *pull, enum stn_err err)
{
	if (err && !pull->err)
		pull->err = err;
	if (--pull->users)
		return;
	if (!pull->err && pull->pins.copy)
		pull_copy(verbs, pull);
	unpin(verbs, &pull->pins);
	answer(verbs, pull->from, pull->token, pull->err);
	pull->done(pull->arg, pull->err);
	free(pull);
}

static void
reading_ended(struct verbs *verbs, struct verbs_op *op, enum stn_err err)
{
	struct pull *pull = ((struct reading *)op)->pull;

	verbs->reading--;
	free(op);
	pull_release(verbs, pull, err);
}

static void
read_once(struct verbs *verbs, struct pull *pull, size_t piece, const char *to,
	  size_t bytes, const struct stn_region *region, uint64_t offset)
{
	struct reading *reading = calloc(1, sizeof(*reading));

	if (!reading)
		abort();
	reading->op = (struct verbs_op){ reading_post, reading_ended, NULL,
					 pull->from };
	reading->pull = pull;
	reading->to = (uintptr_t)to;
	reading->bytes = (uint32_t)bytes;
	reading->key = pull->pins.regions[piece]->lkey;
	reading->address = region->address + offset;
	reading->their_key = (uint32_t)region->key;
	pull->users++;
	verbs->reading++;
	verbs_submit(verbs, &reading->op);
}

static void
read_all(struct verbs *verbs, struct pull *pull,
	 const struct stn_offer_block *offer, size_t left)
{
	struct iovec from[STN_REGIONS];
	struct stn_pieces_walk walk = { pull->pins.pieces, from, 0, 0 };
	size_t stretch, bytes;
	char *to, *at;

	/* The regions as if they began at 0: what the walk gives is offsets. */
	for (uint64_t i = 0; i < offer->count; i++)
		from[i] = (struct iovec){ NULL, offer->regions[i].bytes };
	while ((stretch = stn_pieces_step(&walk, left, &to, &at))) {
		for (size_t done = 0; done < stretch; done += bytes) {
			bytes = stretch - done;
			if (bytes > READ_BYTES)
				bytes = READ_BYTES;
			read_once(verbs, pull,
				  (size_t)(walk.to - pull->pins.pieces),
				  to + done, bytes,
				  &offer->regions[walk.from - from],
				  (uintptr_t)at + done);
		}
		left -= stretch;
	}
}

static struct pull *
pull_create(const struct stn_arrival *arrival, const struct iovec *pieces,
	    size_t count, stn_done *done, void *arg)
{
	const struct verbs_arrival *mine =
		(const struct verbs_arrival *)arrival;
	struct pull *pull =
		calloc(1, sizeof(*pull) + count * sizeof(pieces[0]));

	if (!pull)
		abort();
	pull->from = arrival->message.from;
	pull->token = mine->offer.token;
	pull->users = 1;
	pull->done = done;
	pull->arg = arg;
	memcpy(pull->pieces, pieces, count * sizeof(pieces[0]));
	return pull;
}

void
verbs_pull(struct stn_transport *transport, const struct stn_arrival *arrival,
	   const struct iovec *pieces, size_t count, stn_done *done, void *arg)
{
	const struct verbs_arrival *mine =
		(const struct verbs_arrival *)arrival;
	struct verbs *verbs = verbs_of(transport);
	struct pull *pull = pull_create(arrival, pieces, count, done, arg);

	if (!pin(verbs, &pull->pins, pieces, count, true)) {
		pull_release(verbs, pull, STN_NO_MEMORY);
		return;
	}
	read_all(verbs, pull, &mine->offer, arrival->message.payload_bytes);
	pull_release(verbs, pull, STN_OK);
}

void
verbs_refuse(struct stn_transport *transport, const struct stn_arrival *arrival)
{
	const struct verbs_arrival *mine =
		(const struct verbs_arrival *)arrival;

	answer(verbs_of(transport), arrival->message.from, mine->offer.token,
	       true);
}
