/*
 * ofi_pull.c: large payloads. The sender registers them and says where they
 * are; the receiver reads them into memory it chose, and says so. If the
 * payload is in more pieces than an offer has regions, the sender copies it
 * once.
 */
#include "transport/ofi/ofi.h"
#include "transport/pieces.h"

#define STRETCH_BYTES (1ul << 20) /* read at once; faster than in one */

/* A payload that was offered and has neither been read nor refused. */
struct ofi_offer {
	struct ofi_offer *next, **previous;
	uint32_t to;
	bool left;     /* libfabric is through with the message */
	bool answered; /* and the receiver with the payload */
	enum stn_err err;
	stn_done *done;
	void *arg;
	void *copy; /* of a payload in more pieces than STN_REGIONS */
	size_t count;
	struct fid_mr *regions[STN_REGIONS];
	struct stn_offer_block block;
	struct ofi *ofi;
};

/* A payload that is being read, by one read for each stretch. */
struct pull {
	uint32_t from;
	uint64_t token;
	size_t users;	  /* reads that have not ended, and who starts them */
	enum stn_err err; /* the first */
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

void
ofi_pulls_init(struct ofi *ofi)
{
	ofi->offer_spares.bytes = sizeof(struct ofi_offer);
	ofi->pulls.bytes = sizeof(struct pull);
	ofi->reads.bytes = sizeof(struct reading);
}

static struct ofi_offer **
list_of(struct ofi *ofi, uint64_t token)
{
	return &ofi->offers[token % OFI_OFFER_LISTS];
}

static struct ofi_offer *
offer_create(struct ofi *ofi, uint32_t to, stn_done *done, void *arg)
{
	struct ofi_offer *offer = ofi_spares_take(&ofi->offer_spares);
	uint64_t token = ++ofi->last_token;
	struct ofi_offer **list = list_of(ofi, token);

	offer->to = to;
	offer->left = offer->answered = false;
	offer->err = STN_OK;
	offer->done = done;
	offer->arg = arg;
	offer->copy = NULL;
	offer->count = 0;
	offer->block.token = token;
	offer->ofi = ofi;
	offer->next = *list;
	offer->previous = list;
	if (offer->next)
		offer->next->previous = &offer->next;
	*list = offer;
	ofi->offers_out++;
	return offer;
}

static void
offer_end(struct ofi_offer *offer)
{
	struct ofi *ofi = offer->ofi;

	*offer->previous = offer->next;
	if (offer->next)
		offer->next->previous = offer->previous;
	ofi->offers_out--;
	for (size_t i = 0; i < offer->count; i++)
		fi_close(&offer->regions[i]->fid);
	ofi_block_give(&ofi->blocks, offer->copy);
	offer->done(offer->arg, offer->err);
	ofi_spares_give(&ofi->offer_spares, offer);
}

/* There will be no answer but this. */
static void
offer_answer(struct ofi_offer *offer, enum stn_err err)
{
	if (!offer->answered)
		offer->err = err;
	offer->answered = true;
	if (offer->left)
		offer_end(offer);
}

static void
offer_left(void *arg, enum stn_err err)
{
	struct ofi_offer *offer = arg;

	offer->left = true;
	if (err)
		offer_answer(offer, err);
	else if (offer->answered)
		offer_end(offer);
}

static bool
add_region(struct ofi *ofi, struct ofi_offer *offer, const struct iovec *piece)
{
	struct stn_region *region = &offer->block.regions[offer->count];
	struct fid_mr **mr = &offer->regions[offer->count];
	bool virtual = ofi->info->domain_attr->mr_mode & FI_MR_VIRT_ADDR;

	if (fi_mr_reg(ofi->domain, piece->iov_base, piece->iov_len,
		      FI_REMOTE_READ, 0, ++ofi->last_key, 0, mr, NULL))
		return false;
	region->address = virtual ? (uintptr_t)piece->iov_base : 0;
	region->key = fi_mr_key(*mr);
	region->bytes = piece->iov_len;
	offer->block.count = ++offer->count;
	return true;
}

static bool
add_regions(struct ofi *ofi, struct ofi_offer *offer,
	    const struct iovec *pieces, size_t count)
{
	struct iovec all = { NULL, stn_pieces_bytes(pieces, count) };

	if (count > STN_REGIONS) {
		all.iov_base = offer->copy =
			ofi_block_take(&ofi->blocks, all.iov_len);
		stn_pieces_copy(&all, pieces, all.iov_len);
		ofi->base.traffic.bytes_copied += all.iov_len;
		pieces = &all;
		count = 1;
	}
	for (size_t i = 0; i < count; i++)
		if (pieces[i].iov_len && !add_region(ofi, offer, &pieces[i]))
			return false;
	return true;
}

void
ofi_offer(struct stn_transport *transport, uint32_t to, uint8_t kind,
	  const void *header, size_t header_bytes, const struct iovec *pieces,
	  size_t count, stn_done *done, void *arg)
{
	struct ofi *ofi = ofi_of(transport);
	struct stn_packet packet =
		stn_packet_make(ofi->opening.rank, STN_PACKET_OFFER, kind,
				header_bytes, stn_pieces_bytes(pieces, count));
	struct ofi_offer *offer = offer_create(ofi, to, done, arg);
	struct iovec block = { &offer->block, 0 };

	if (!add_regions(ofi, offer, pieces, count)) {
		offer_left(offer, STN_NO_MEMORY);
		return;
	}
	block.iov_len = STN_OFFER_BYTES(offer->count);
	ofi_send_packet(ofi, to, &packet,
			(struct iovec){ (void *)header, header_bytes }, &block,
			1, offer_left, offer);
}

bool
ofi_offer_done(struct ofi *ofi, uint32_t to, uint64_t token, enum stn_err err)
{
	struct ofi_offer *offer = *list_of(ofi, token);

	while (offer && (offer->block.token != token || offer->to != to ||
			 offer->answered))
		offer = offer->next;
	if (offer)
		offer_answer(offer, err);
	return offer;
}

void
ofi_offers_end(struct ofi *ofi, uint32_t to, enum stn_err err)
{
	for (size_t i = 0; i < OFI_OFFER_LISTS; i++)
		for (struct ofi_offer *offer = ofi->offers[i], *next; offer;
		     offer = next) {
			next = offer->next;
			if (to == OFI_ALL || offer->to == to)
				offer_answer(offer, err);
		}
}

/* Lets the sender of an offer know how it ended. */
static void
answer(struct ofi *ofi, uint32_t to, uint64_t token, bool refused)
{
	struct stn_packet packet =
		stn_packet_make(ofi->opening.rank, STN_PACKET_DONE, 0, 0, 0);
	struct stn_done_block block = { token, refused };

	ofi_send_packet(ofi, to, &packet,
			(struct iovec){ &block, sizeof(block) }, NULL, 0, NULL,
			NULL);
}

static ssize_t
post_read(struct ofi *ofi, struct ofi_op *op)
{
	struct reading *reading = (struct reading *)op;
	struct iovec to = { reading->to, reading->bytes };
	struct fi_rma_iov from = { reading->address, reading->bytes,
				   reading->key };
	struct fi_msg_rma message = {
		.msg_iov = &to,
		.iov_count = 1,
		.addr = ofi->peers[op->to].address,
		.rma_iov = &from,
		.rma_iov_count = 1,
		.context = &op->context,
	};

	return fi_readmsg(ofi->endpoint, &message, FI_COMPLETION);
}

/* One of those who use the pull has ended; the last one ends it. */
static void
pull_release(struct ofi *ofi, struct pull *pull, enum stn_err err)
{
	if (err && !pull->err)
		pull->err = err;
	if (--pull->users)
		return;
	answer(ofi, pull->from, pull->token, pull->err);
	pull->done(pull->arg, pull->err);
	ofi_spares_give(&ofi->pulls, pull);
}

static void
read_ended(struct ofi *ofi, struct ofi_op *op, enum stn_err err)
{
	pull_release(ofi, ((struct reading *)op)->pull, err);
}

static void
read_stretch(struct ofi *ofi, struct pull *pull, char *to, size_t bytes,
	     const struct stn_region *region, uint64_t offset)
{
	struct reading *reading = ofi_spares_take(&ofi->reads);

	ofi_op_init(&reading->op, &ofi->reads, pull->from, post_read,
		    read_ended);
	reading->op.reads = true;
	reading->pull = pull;
	reading->to = to;
	reading->bytes = bytes;
	reading->address = region->address + offset;
	reading->key = region->key;
	pull->users++;
	ofi_submit(ofi, &reading->op);
}

/* What is contiguous on both sides, in parts. */
static void
read_part(struct ofi *ofi, struct pull *pull, char *to, size_t bytes,
	  const struct stn_region *region, uint64_t offset)
{
	while (bytes > STRETCH_BYTES) {
		read_stretch(ofi, pull, to, STRETCH_BYTES, region, offset);
		to += STRETCH_BYTES;
		offset += STRETCH_BYTES;
		bytes -= STRETCH_BYTES;
	}
	read_stretch(ofi, pull, to, bytes, region, offset);
}

void
ofi_pull(struct stn_transport *transport, const struct stn_arrival *arrival,
	 const struct iovec *pieces, size_t count, stn_done *done, void *arg)
{
	struct ofi *ofi = ofi_of(transport);
	const struct ofi_arrival *mine = (const struct ofi_arrival *)arrival;
	const struct stn_region *region = mine->offer.regions;
	size_t left = arrival->message.payload_bytes;
	struct iovec from[STN_REGIONS];
	struct stn_pieces_walk walk = { pieces, from, 0, 0 };
	struct pull *pull = ofi_spares_take(&ofi->pulls);
	size_t bytes;
	char *to, *at;

	(void)count;
	*pull = (struct pull){ .from = arrival->message.from,
			       .token = mine->offer.token,
			       .users = 1,
			       .done = done,
			       .arg = arg };
	/* The regions as if they began at 0: what the walk gives is offsets. */
	for (uint64_t i = 0; i < mine->offer.count; i++)
		from[i] = (struct iovec){ NULL, region[i].bytes };
	while ((bytes = stn_pieces_step(&walk, left, &to, &at))) {
		read_part(ofi, pull, to, bytes, &region[walk.from - from],
			  (uintptr_t)at);
		left -= bytes;
	}
	pull_release(ofi, pull, STN_OK);
}

void
ofi_refuse(struct stn_transport *transport, const struct stn_arrival *arrival)
{
	const struct ofi_arrival *mine = (const struct ofi_arrival *)arrival;

	answer(ofi_of(transport), arrival->message.from, mine->offer.token,
	       true);
}
