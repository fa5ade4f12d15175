/*
 * rendezvous.h: large payloads. The sender offers a payload. The receiver pulls
 * it into memory of its choice, or refuses it, and tells the sender. The caller
 * serialises all calls for one endpoint.
 */
#ifndef STN_TRANSPORT_RENDEZVOUS_H
#define STN_TRANSPORT_RENDEZVOUS_H

#include <sys/queue.h>

#include "transport/packet.h"
#include "transport/pieces.h"

#define STN_RENDEZVOUS_LISTS 64
#define STN_RENDEZVOUS_ALL UINT32_MAX /* all nodes */

/* A payload that this endpoint offers. A backend's own offer begins with it. */
struct stn_offer {
	LIST_ENTRY(stn_offer) link;
	struct stn_rendezvous *rendezvous; /* the table that lists the offer */
	uint32_t to;
	uint64_t token; /* names the offer in the receiver's answer */
	bool leaving;	/* the fabric still has the message that offers it */
	bool answered;	/* the outcome is known: err */
	enum stn_err err;
	stn_done *done;
	void *arg;
};

/*
 * An offer has ended and is no longer listed. Releases the offer's memory and
 * calls its done.
 */
typedef void stn_offer_ended(struct stn_transport *transport,
			     struct stn_offer *offer, enum stn_err err);

/*
 * The offers of an endpoint that have not ended. The backend sets transport and
 * ended; all other members start as zeros.
 */
struct stn_rendezvous {
	LIST_HEAD(, stn_offer) lists[STN_RENDEZVOUS_LISTS]; /* by token */
	size_t count;
	uint64_t last_token;
	struct stn_transport *transport;
	stn_offer_ended *ended;
};

/*
 * stn_rendezvous_add: gives @offer a token, and lists it until it ends. If the
 * fabric keeps the message that offers the payload, the caller sets
 * @offer->leaving now, and calls stn_offer_left when the fabric releases it.
 */
void stn_rendezvous_add(struct stn_rendezvous *rendezvous,
			struct stn_offer *offer, uint32_t to, stn_done *done,
			void *arg);

/*
 * stn_offer_left: the fabric has released the message that offers the payload.
 * @arg is the struct stn_offer; the function is a stn_done.
 */
void stn_offer_left(void *arg, enum stn_err err);

/*
 * stn_rendezvous_find: returns the offer with this @token to node @to that has
 * no answer yet, or NULL.
 */
struct stn_offer *stn_rendezvous_find(const struct stn_rendezvous *rendezvous,
				      uint32_t to, uint64_t token);

/* stn_rendezvous_any: is an offer to node @to listed? */
bool stn_rendezvous_any(const struct stn_rendezvous *rendezvous, uint32_t to);

/*
 * stn_offer_end: ends an offer, now or as soon as the fabric has released the
 * message that offers the payload. If it is called again, the first @err
 * counts.
 */
void stn_offer_end(struct stn_offer *offer, enum stn_err err);

/*
 * stn_rendezvous_answer: node @from has pulled or refused an offer. Returns
 * false if no unanswered offer to that node has this token.
 */
bool stn_rendezvous_answer(struct stn_rendezvous *rendezvous, uint32_t from,
			   const struct stn_done_block *done);

/*
 * stn_rendezvous_abandon: ends all offers to node @to, or to
 * STN_RENDEZVOUS_ALL.
 */
void stn_rendezvous_abandon(struct stn_rendezvous *rendezvous, uint32_t to,
			    enum stn_err err);

/*
 * stn_rendezvous_receive: handles a packet of a fabric whose receivers read the
 * offered memory. A DONE ends its offer; an EAGER or an OFFER is delivered.
 */
static inline void
stn_rendezvous_receive(struct stn_rendezvous *rendezvous,
		       const struct stn_opening *opening,
		       const struct stn_parsed *parsed)
{
	uint32_t from = parsed->packet.from;

	if (parsed->packet.type != STN_PACKET_DONE)
		stn_packet_deliver(opening, parsed);
	else if (!stn_rendezvous_answer(rendezvous, from, &parsed->done))
		stn_packet_malformed(opening, from);
}

/* A payload that this endpoint reads from its sender. */
struct stn_pull {
	uint32_t from;
	uint64_t token;
	size_t users;	  /* reads that have not ended, and their starter */
	enum stn_err err; /* the first error of a read */
	stn_done *done;
	void *arg;
};

/* stn_pull_init: starts with one user, the caller. */
void stn_pull_init(struct stn_pull *pull, const struct stn_offered *offered,
		   stn_done *done, void *arg);

/*
 * stn_pull_release: one user has finished. Returns true if it was the last one,
 * so that the pull has ended.
 */
bool stn_pull_release(struct stn_pull *pull, enum stn_err err);

/* One read: memory that is contiguous at both ends. */
struct stn_read {
	const struct iovec *piece; /* the receiver's piece that it fills */
	char *to;
	size_t bytes;
	uint64_t address, key; /* at the sender */
};

/* Splits a payload into reads. */
struct stn_reads {
	const struct stn_region *regions;
	struct iovec from[STN_REGIONS];
	struct stn_pieces_walk walk;
	size_t left;
};

/*
 * stn_reads_begin: begins to split the payload @offered into reads to @pieces.
 */
void stn_reads_begin(struct stn_reads *reads, const struct stn_offered *offered,
		     const struct iovec *pieces);

/*
 * stn_reads_next: finds the next read, at most 1 MiB. Returns false at the end.
 */
bool stn_reads_next(struct stn_reads *reads, struct stn_read *read_p);

#endif
