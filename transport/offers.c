#include "transport/offers.h"

void
stn_offers_add(struct stn_offers *offers, struct stn_offer *offer, uint32_t to,
	       stn_done *done, void *arg)
{
	offer->to = to;
	offer->done = done;
	offer->arg = arg;
	offer->token = ++offers->last_token;
	offer->next = offers->first;
	offer->previous = &offers->first;
	if (offer->next)
		offer->next->previous = &offer->next;
	offers->first = offer;
}

/* Its end may free the memory that was offered: so that is let go first. */
static void
end(struct stn_offers *offers, struct stn_offer *offer, enum stn_err err)
{
	stn_done *done = offer->done;
	void *arg = offer->arg;

	*offer->previous = offer->next;
	if (offer->next)
		offer->next->previous = offer->previous;
	offers->release(offer);
	done(arg, err);
}

bool
stn_offers_end(struct stn_offers *offers, uint32_t to, uint64_t token,
	       enum stn_err err)
{
	struct stn_offer *offer = offers->first;

	while (offer && (offer->token != token || offer->to != to))
		offer = offer->next;
	if (offer)
		end(offers, offer, err);
	return offer;
}

/* An end may offer, but not to this node: so what follows stays listed. */
void
stn_offers_lost(struct stn_offers *offers, uint32_t to)
{
	struct stn_offer *offer = offers->first, *next;

	for (; offer; offer = next) {
		next = offer->next;
		if (offer->to == to)
			end(offers, offer, STN_LOST);
	}
}

void
stn_offers_cancel(struct stn_offers *offers)
{
	while (offers->first)
		end(offers, offers->first, STN_CANCELLED);
}
