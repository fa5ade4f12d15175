/*
 * far_batch.c: fills a batch: first with messages, then with PARTs of offered
 * payloads, which take turns.
 */
#include "transport/far/far_send.h"

#define PARTS 8 /* most in a batch; more would delay messages longer */

static void
put_piece(struct far_batch *batch, const void *bytes, size_t size)
{
	if (size)
		batch->pieces[batch->count++] =
			(struct iovec){ (void *)bytes, size };
}

static void
put_item(struct far_batch *batch, struct far_item *item)
{
	put_piece(batch, item->head, item->head_bytes);
	put_piece(batch, item->header, item->header_bytes);
	for (size_t i = 0; i < item->count; i++)
		put_piece(batch, item->pieces[i].iov_base,
			  item->pieces[i].iov_len);
	if (item->offer)
		item->offer->announced = item->offer->held = true;
	batch->segments++;
	STAILQ_INSERT_TAIL(&batch->items, item, link);
}

/* Adds the next contiguous bytes of an offer's payload, @most at most. */
static size_t
put_stretch(struct far_batch *batch, struct far_offer *offer, size_t most)
{
	size_t bytes;

	while (offer->offset == offer->at->iov_len) {
		offer->at++;
		offer->offset = 0;
	}
	bytes = offer->at->iov_len - offer->offset;
	if (bytes > most)
		bytes = most;
	put_piece(batch, (char *)offer->at->iov_base + offer->offset, bytes);
	offer->offset += bytes;
	return bytes;
}

static void
put_part(struct far *far, struct far_batch *batch, struct far_offer *offer)
{
	size_t most =
		offer->left < STN_SEGMENT_DATA ? offer->left : STN_SEGMENT_DATA;
	unsigned char *head = batch->heads[batch->segments++];
	struct stn_segment segment = {
		.to = offer->to,
		.from = far->base.opening.rank,
		.type = STN_SEGMENT_PART,
		.operation = offer->operation,
	};
	size_t bytes = 0;

	put_piece(batch, head, STN_SEGMENT_HEAD);
	for (size_t i = 0; i < FAR_PART_PIECES && bytes < most; i++)
		bytes += put_stretch(batch, offer, most - bytes);
	segment.bytes = (uint16_t)bytes;
	stn_segment_write(head, &segment);
	offer->left -= bytes;
	offer->held = true;
}

bool
far_offer_streams(const struct far_offer *offer)
{
	return offer->announced && offer->left && !offer->ended;
}

/* Returns the offer that sends the next PART; NULL if no offer has one. */
static struct far_offer *
next_offer(struct far_connection *connection)
{
	struct far_offer *first = LIST_FIRST(&connection->offers);
	struct far_offer *begin = connection->turn ? connection->turn : first;
	struct far_offer *at = begin;

	if (!begin)
		return NULL;
	do {
		if (far_offer_streams(at)) {
			connection->turn = LIST_NEXT(at, link);
			return at;
		}
		at = LIST_NEXT(at, link) ? LIST_NEXT(at, link) : first;
	} while (at != begin);
	return NULL;
}

void
far_fill_batch(struct far *far, struct far_connection *connection)
{
	struct far_batch *batch = &connection->batch;
	struct far_offer *offer;
	struct far_item *item;

	while ((item = STAILQ_FIRST(&connection->items)) &&
	       batch->segments < FAR_SEGMENTS &&
	       batch->count + 2 + item->count <= FAR_PIECES) {
		STAILQ_REMOVE_HEAD(&connection->items, link);
		put_item(batch, item);
	}
	for (unsigned i = 0; i < PARTS && batch->segments < FAR_SEGMENTS &&
			     batch->count + 1 + FAR_PART_PIECES <= FAR_PIECES &&
			     (offer = next_offer(connection));
	     i++)
		put_part(far, batch, offer);
}
