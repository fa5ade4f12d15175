/*
 * ofi_pull.c: large payloads. The sender registers the payload's memory and
 * sends its addresses. The receiver reads the payload into memory of its
 * choice, and tells the sender. If a payload has more pieces than an offer has
 * regions, the sender copies it once.
 */
#include "transport/ofi/ofi.h"
#include "transport/ofi/ofi_send.h"
#include "transport/pieces.h"

struct ofi_offer {
	struct stn_offer offer; /* first */
	void *copy; /* of a payload in more than STN_REGIONS pieces */
	size_t count;
	struct fid_mr *regions[STN_REGIONS];
	struct stn_offer_block block;
};

struct reading {
	struct ofi_op op;
	struct stn_pull *pull;
	struct stn_read read;
};

static struct ofi_offer *
ofi_offer_create(struct ofi *ofi, uint32_t to, stn_done *done, void *arg)
{
	struct ofi_offer *offer = ofi_pool_get(&ofi->offer_pool);

	stn_rendezvous_add(&ofi->rendezvous, &offer->offer, to, done, arg);
	offer->offer.leaving = true;
	offer->copy = NULL;
	offer->count = 0;
	offer->block.token = offer->offer.token;
	return offer;
}

static void
ofi_offer_ended(struct stn_transport *transport, struct stn_offer *ended,
		enum stn_err err)
{
	struct ofi *ofi = ofi_of(transport);
	struct ofi_offer *offer = (struct ofi_offer *)ended;

	for (size_t i = 0; i < offer->count; i++)
		fi_close(&offer->regions[i]->fid);
	ofi_block_put(&ofi->blocks, offer->copy);
	ended->done(ended->arg, err);
	ofi_pool_put(&ofi->offer_pool, offer);
}

void
ofi_pulls_init(struct ofi *ofi)
{
	ofi->offer_pool.bytes = sizeof(struct ofi_offer);
	ofi->pulls.bytes = sizeof(struct stn_pull);
	ofi->reads.bytes = sizeof(struct reading);
	ofi->rendezvous.transport = &ofi->base;
	ofi->rendezvous.ended = ofi_offer_ended;
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
	struct iovec all;

	if (count > STN_REGIONS) {
		all = ofi_copy(ofi, pieces, count);
		offer->copy = all.iov_base;
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
		stn_packet_make(ofi->base.opening.rank, STN_PACKET_OFFER, kind,
				header_bytes, stn_pieces_bytes(pieces, count));
	struct ofi_offer *offer = ofi_offer_create(ofi, to, done, arg);
	struct iovec block = { &offer->block, 0 };

	if (!add_regions(ofi, offer, pieces, count)) {
		stn_offer_left(offer, STN_NO_MEMORY);
		return;
	}
	block.iov_len = STN_OFFER_BYTES(offer->count);
	ofi_send_packet(ofi, to, &packet,
			(struct iovec){ (void *)header, header_bytes }, &block,
			1, stn_offer_left, offer);
}

/* Tells the sender of an offer how it ended. */
static void
ofi_answer(struct ofi *ofi, uint32_t to, uint64_t token, bool refused)
{
	struct stn_packet packet = stn_packet_make(ofi->base.opening.rank,
						   STN_PACKET_DONE, 0, 0, 0);
	struct stn_done_block block = { token, refused };

	ofi_send_packet(ofi, to, &packet,
			(struct iovec){ &block, sizeof(block) }, NULL, 0, NULL,
			NULL);
}

static ssize_t
post_read(struct ofi *ofi, struct ofi_op *op)
{
	const struct stn_read *read = &((struct reading *)op)->read;
	struct iovec to = { read->to, read->bytes };
	struct fi_rma_iov from = { read->address, read->bytes, read->key };
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

static void
ofi_pull_release(struct ofi *ofi, struct stn_pull *pull, enum stn_err err)
{
	if (!stn_pull_release(pull, err))
		return;
	ofi_answer(ofi, pull->from, pull->token, pull->err);
	pull->done(pull->arg, pull->err);
	ofi_pool_put(&ofi->pulls, pull);
}

static void
read_ended(struct ofi *ofi, struct ofi_op *op, enum stn_err err)
{
	ofi_pull_release(ofi, ((struct reading *)op)->pull, err);
}

static void
start_read(struct ofi *ofi, struct stn_pull *pull, const struct stn_read *read)
{
	struct reading *reading = ofi_pool_get(&ofi->reads);

	ofi_op_init(&reading->op, &ofi->reads, pull->from, post_read,
		    read_ended);
	reading->op.reads = true;
	reading->pull = pull;
	reading->read = *read;
	pull->users++;
	ofi_submit(ofi, &reading->op);
}

void
ofi_pull(struct stn_transport *transport, const struct stn_arrival *arrival,
	 const struct iovec *pieces, size_t count, stn_done *done, void *arg)
{
	const struct stn_offered *offered = (const struct stn_offered *)arrival;
	struct ofi *ofi = ofi_of(transport);
	struct stn_pull *pull = ofi_pool_get(&ofi->pulls);
	struct stn_reads reads;
	struct stn_read read;

	(void)count;
	stn_pull_init(pull, offered, done, arg);
	stn_reads_begin(&reads, offered, pieces);
	while (stn_reads_next(&reads, &read))
		start_read(ofi, pull, &read);
	ofi_pull_release(ofi, pull, STN_OK);
}

void
ofi_refuse(struct stn_transport *transport, const struct stn_arrival *arrival)
{
	const struct stn_offered *offered = (const struct stn_offered *)arrival;
	struct ofi *ofi = ofi_of(transport);
	uint32_t from = arrival->message.from;

	if (ofi->peers[from].address != FI_ADDR_UNSPEC)
		ofi_answer(ofi, from, offered->offer->token, true);
}
