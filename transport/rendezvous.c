#include "transport/rendezvous.h"

/*
 * The most that one read fetches. Larger reads are slower over tcp. Over verbs,
 * when a packet is lost, a larger read would be repeated from further back.
 */
#define READ_BYTES ((size_t)1 << 20)

void
stn_rendezvous_add(struct stn_rendezvous *rendezvous, struct stn_offer *offer,
		   uint32_t to, stn_done *done, void *arg)
{
	offer->rendezvous = rendezvous;
	offer->to = to;
	offer->token = ++rendezvous->last_token;
	offer->leaving = offer->answered = false;
	offer->done = done;
	offer->arg = arg;
	LIST_INSERT_HEAD(
		&rendezvous->lists[offer->token % STN_RENDEZVOUS_LISTS], offer,
		link);
	rendezvous->count++;
}

struct stn_offer *
stn_rendezvous_find(const struct stn_rendezvous *rendezvous, uint32_t to,
		    uint64_t token)
{
	struct stn_offer *offer;

	LIST_FOREACH (offer, &rendezvous->lists[token % STN_RENDEZVOUS_LISTS],
		      link)
		if (offer->token == token && offer->to == to &&
		    !offer->answered)
			break;
	return offer;
}

bool
stn_rendezvous_any(const struct stn_rendezvous *rendezvous, uint32_t to)
{
	const struct stn_offer *offer;

	for (size_t i = 0; rendezvous->count && i < STN_RENDEZVOUS_LISTS; i++)
		LIST_FOREACH (offer, &rendezvous->lists[i], link)
			if (offer->to == to)
				return true;
	return false;
}

static void
end_if_over(struct stn_offer *offer)
{
	struct stn_rendezvous *rendezvous = offer->rendezvous;

	if (offer->leaving || !offer->answered)
		return;
	LIST_REMOVE(offer, link);
	rendezvous->count--;
	rendezvous->ended(rendezvous->transport, offer, offer->err);
}

void
stn_offer_end(struct stn_offer *offer, enum stn_err err)
{
	if (!offer->answered)
		offer->err = err;
	offer->answered = true;
	end_if_over(offer);
}

void
stn_offer_left(void *arg, enum stn_err err)
{
	struct stn_offer *offer = arg;

	offer->leaving = false;
	if (err)
		stn_offer_end(offer, err);
	else
		end_if_over(offer);
}

bool
stn_rendezvous_answer(struct stn_rendezvous *rendezvous, uint32_t from,
		      const struct stn_done_block *done)
{
	struct stn_offer *offer =
		stn_rendezvous_find(rendezvous, from, done->token);

	if (offer)
		stn_offer_end(offer, done->status ? STN_REFUSED : STN_OK);
	return offer;
}

/*
 * A done callback may offer a new payload, but not to node @to, which is dead.
 * So the next offer stays listed while the current one ends.
 */
void
stn_rendezvous_abandon(struct stn_rendezvous *rendezvous, uint32_t to,
		       enum stn_err err)
{
	for (size_t i = 0; rendezvous->count && i < STN_RENDEZVOUS_LISTS; i++) {
		struct stn_offer *offer = LIST_FIRST(&rendezvous->lists[i]),
				 *next;

		for (; offer; offer = next) {
			next = LIST_NEXT(offer, link);
			if (to == STN_RENDEZVOUS_ALL || offer->to == to)
				stn_offer_end(offer, err);
		}
	}
}

void
stn_pull_init(struct stn_pull *pull, const struct stn_offered *offered,
	      stn_done *done, void *arg)
{
	*pull = (struct stn_pull){
		.from = offered->arrival.message.from,
		.token = offered->offer->token,
		.users = 1,
		.done = done,
		.arg = arg,
	};
}

bool
stn_pull_release(struct stn_pull *pull, enum stn_err err)
{
	if (!pull->err)
		pull->err = err;
	return !--pull->users;
}

/*
 * The walk sees each region as if it began at address 0. The addresses it
 * returns are therefore offsets into the regions.
 */
void
stn_reads_begin(struct stn_reads *reads, const struct stn_offered *offered,
		const struct iovec *pieces)
{
	reads->regions = offered->offer->regions;
	for (uint64_t i = 0; i < offered->offer->count; i++)
		reads->from[i] =
			(struct iovec){ NULL, reads->regions[i].bytes };
	reads->walk = (struct stn_pieces_walk){ pieces, reads->from, 0, 0 };
	reads->left = offered->arrival.message.payload_bytes;
}

bool
stn_reads_next(struct stn_reads *reads, struct stn_read *read_p)
{
	size_t most = reads->left < READ_BYTES ? reads->left : READ_BYTES;
	const struct stn_region *region;
	char *offset;

	read_p->bytes =
		stn_pieces_step(&reads->walk, most, &read_p->to, &offset);
	if (!read_p->bytes)
		return false;
	region = &reads->regions[reads->walk.from - reads->from];
	read_p->piece = reads->walk.to;
	read_p->address = region->address + (uintptr_t)offset;
	read_p->key = region->key;
	reads->left -= read_p->bytes;
	return true;
}
