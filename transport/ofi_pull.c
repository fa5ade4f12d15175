/*
 * ofi_pull.c: large payloads. The sender registers them and says where they
 * are; the receiver reads them into memory it chose, and says so. If the
 * payload is in more pieces than an offer has regions, the sender copies it
 * once.
 */
#include <stdlib.h>
#include <string.h>

#include "transport/ofi.h"
#include "transport/pieces.h"

static void
offer_free(struct ofi_offer *offer)
{
	for (size_t i = 0; i < offer->count; i++)
		fi_close(&offer->regions[i]->fid);
	free(offer->copy);
	free(offer);
}

static void
offer_end(struct ofi_offer *offer, enum stn_err err)
{
	*offer->previous = offer->next;
	if (offer->next)
		offer->next->previous = offer->previous;
	offer->done(offer->arg, err);
	offer_free(offer);
}

static bool
add_region(struct ofi *ofi, struct ofi_offer *offer,
	   struct stn_offer_block *block, const struct iovec *piece)
{
	struct stn_region *region = &block->regions[offer->count];
	struct fid_mr **mr = &offer->regions[offer->count];
	bool virtual = ofi->info->domain_attr->mr_mode & FI_MR_VIRT_ADDR;

	if (fi_mr_reg(ofi->domain, piece->iov_base, piece->iov_len,
		      FI_REMOTE_READ, 0, ++ofi->last_key, 0, mr, NULL))
		return false;
	region->address = virtual ? (uintptr_t)piece->iov_base : 0;
	region->key = fi_mr_key(*mr);
	region->bytes = piece->iov_len;
	block->count = ++offer->count;
	return true;
}

static bool
add_regions(struct ofi *ofi, struct ofi_offer *offer,
	    struct stn_offer_block *block, const struct iovec *pieces,
	    size_t count)
{
	struct iovec all = { NULL, stn_pieces_bytes(pieces, count) };

	if (count > STN_REGIONS) {
		all.iov_base = offer->copy = malloc(all.iov_len);
		if (!offer->copy)
			return false;
		stn_pieces_copy(&all, pieces, all.iov_len);
		pieces = &all;
		count = 1;
	}
	for (size_t i = 0; i < count; i++)
		if (pieces[i].iov_len &&
		    !add_region(ofi, offer, block, &pieces[i]))
			return false;
	return true;
}

static void
offer_list(struct ofi *ofi, struct ofi_offer *offer)
{
	offer->token = ++ofi->last_token;
	offer->next = ofi->offers;
	offer->previous = &ofi->offers;
	if (offer->next)
		offer->next->previous = &offer->next;
	ofi->offers = offer;
}

/* Which offer a packet carries; it may have ended when the packet has left. */
struct carried {
	struct ofi *ofi;
	uint32_t to;
	uint64_t token;
};

static void
offer_left(void *arg, enum stn_err err)
{
	struct carried *carried = arg;

	if (err)
		ofi_offer_done(carried->ofi, carried->to, carried->token, err);
	free(carried);
}

void
ofi_offer(struct stn_transport *transport, uint32_t to, uint8_t kind,
	  const void *header, size_t header_bytes, const struct iovec *pieces,
	  size_t count, stn_done *done, void *arg)
{
	struct ofi *ofi = ofi_of(transport);
	struct stn_packet packet = ofi_packet(ofi, STN_PACKET_OFFER, kind,
					      header_bytes, pieces, count);
	struct ofi_offer *offer = calloc(1, sizeof(*offer));
	struct carried *carried = malloc(sizeof(*carried));
	struct stn_offer_block block = { 0 };

	if (!offer || !carried)
		abort();
	offer->to = to;
	offer->done = done;
	offer->arg = arg;
	offer_list(ofi, offer);
	if (!add_regions(ofi, offer, &block, pieces, count)) {
		offer_end(offer, STN_NO_MEMORY);
		free(carried);
		return;
	}
	block.token = offer->token;
	*carried = (struct carried){ ofi, to, offer->token };
	ofi_send_packet(ofi, to, &packet, header, &block,
			STN_OFFER_BYTES(block.count), NULL, 0, offer_left,
			carried);
}

bool
ofi_offer_done(struct ofi *ofi, uint32_t to, uint64_t token, enum stn_err err)
{
	struct ofi_offer *offer = ofi->offers;

	while (offer && (offer->token != token || offer->to != to))
		offer = offer->next;
	if (offer)
		offer_end(offer, err);
	return offer;
}

void
ofi_offers_cancel(struct ofi *ofi)
{
	while (ofi->offers)
		offer_end(ofi->offers, STN_CANCELLED);
}

void
ofi_offers_lost(struct ofi *ofi, uint32_t to)
{
	struct ofi_offer *offer = ofi->offers, *next;

	for (; offer; offer = next) {
		next = offer->next;
		if (offer->to == to)
			offer_end(offer, STN_LOST);
	}
}

/* Lets the sender of an offer know how it ended. */
static void
answer(struct ofi *ofi, uint32_t to, uint64_t token, bool refused)
{
	struct stn_packet packet =
		ofi_packet(ofi, STN_PACKET_DONE, 0, 0, NULL, 0);
	struct stn_done_block block = { token, refused };

	ofi_send_packet(ofi, to, &packet, NULL, &block, sizeof(block), NULL, 0,
			NULL, NULL);
}

/* A payload that is being read, by one read for each stretch. */
struct pull {
	uint32_t from;
	uint64_t token;
	size_t users; /* reads that have not ended, and who starts them */
	int err;      /* the first */
	stn_done *done;
	void *arg;
};

struct reading {
	struct ofi_op op;
	struct pull *pull;
	void *to;
	size_t bytes;
	uint64_t address, key;
};

static ssize_t
post_read(struct ofi *ofi, struct ofi_op *op)
{
	struct reading *reading = (struct reading *)op;

	return fi_read(ofi->endpoint, reading->to, reading->bytes, NULL,
		       ofi->peers[op->to].address, reading->address,
		       reading->key, &op->context);
}

/* One of those who use the pull has ended; the last one ends it. */
static void
pull_release(struct ofi *ofi, struct pull *pull, int err)
{
	if (err && !pull->err)
		pull->err = err;
	if (--pull->users)
		return;
	answer(ofi, pull->from, pull->token, pull->err);
	pull->done(pull->arg, ofi_translate(pull->err));
	free(pull);
}

static void
read_ended(struct ofi *ofi, struct ofi_op *op, size_t bytes, int err)
{
	struct pull *pull = ((struct reading *)op)->pull;

	(void)bytes;
	free(op);
	pull_release(ofi, pull, err);
}

static void
read_stretch(struct ofi *ofi, struct pull *pull, void *to, size_t bytes,
	     const struct stn_region *region, uint64_t offset)
{
	struct reading *reading = calloc(1, sizeof(*reading));

	if (!reading)
		abort();
	reading->op.post = post_read;
	reading->op.completed = read_ended;
	reading->op.to = pull->from;
	reading->pull = pull;
	reading->to = to;
	reading->bytes = bytes;
	reading->address = region->address + offset;
	reading->key = region->key;
	pull->users++;
	ofi_submit(ofi, &reading->op);
}

void
ofi_pull(struct stn_transport *transport, const struct stn_arrival *arrival,
	 const struct iovec *pieces, size_t count, stn_done *done, void *arg)
{
	const struct ofi_arrival *mine = (const struct ofi_arrival *)arrival;
	const struct stn_region *region = mine->offer.regions;
	size_t left = arrival->message.payload_bytes;
	struct iovec from[STN_REGIONS];
	struct stn_pieces_walk walk = { pieces, from, 0, 0 };
	struct pull *pull = calloc(1, sizeof(*pull));
	size_t bytes;
	char *to, *at;

	(void)count;
	if (!pull)
		abort();
	*pull = (struct pull){ .from = arrival->message.from,
			       .token = mine->offer.token,
			       .users = 1,
			       .done = done,
			       .arg = arg };
	/* The regions as if they began at 0: what the walk gives is offsets. */
	for (uint64_t i = 0; i < mine->offer.count; i++)
		from[i] = (struct iovec){ NULL, region[i].bytes };
	while ((bytes = stn_pieces_step(&walk, left, &to, &at))) {
		read_stretch(ofi_of(transport), pull, to, bytes,
			     &region[walk.from - from], (uintptr_t)at);
		left -= bytes;
	}
	pull_release(ofi_of(transport), pull, 0);
}

void
ofi_refuse(struct stn_transport *transport, const struct stn_arrival *arrival)
{
	const struct ofi_arrival *mine = (const struct ofi_arrival *)arrival;

	answer(ofi_of(transport), arrival->message.from, mine->offer.token,
	       true);
}
