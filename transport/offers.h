/*
 * offers.h: the offers of an endpoint that have neither been read nor refused:
 * each has a token, by which its receiver names it. A backend's own offer
 * begins with a struct stn_offer. The caller serialises all calls.
 */
#ifndef STN_TRANSPORT_OFFERS_H
#define STN_TRANSPORT_OFFERS_H

#include <stdbool.h>

#include "transport/transport.h"

struct stn_offer {
	struct stn_offer *next, **previous;
	uint32_t to;
	uint64_t token;
	stn_done *done;
	void *arg;
};

/*
 * @release  lets go of an offer's memory and frees it; called before its end
 */
struct stn_offers {
	struct stn_offer *first;
	uint64_t last_token;
	void (*release)(struct stn_offer *offer);
};

/* stn_offers_add: gives @offer a token and lists it until it ends. */
void stn_offers_add(struct stn_offers *offers, struct stn_offer *offer,
		    uint32_t to, stn_done *done, void *arg);

/*
 * stn_offers_end: the offer of this @token has ended. False if none such is
 * out to node @to.
 */
bool stn_offers_end(struct stn_offers *offers, uint32_t to, uint64_t token,
		    enum stn_err err);

/*
 * stn_offers_lost: ends those to a node that is dead, with STN_LOST.
 * stn_offers_cancel: ends all, with STN_CANCELLED.
 */
void stn_offers_lost(struct stn_offers *offers, uint32_t to);
void stn_offers_cancel(struct stn_offers *offers);

#endif
