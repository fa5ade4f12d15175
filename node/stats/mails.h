/*
 * mails.h: a node's counts of messages. A node sends and receives few of all
 * kinds, and a simulation has many nodes: so a kind gets memory when its first
 * message is counted. LAN and WAN have counts and memory of their own.
 *
 * The caller serialises all calls on one set of mails.
 */
#ifndef STN_NODE_STATS_MAILS_H
#define STN_NODE_STATS_MAILS_H

#include "node/stats/counts.h"

/* The messages of one kind, LAN or WAN; two kinds share a cache line. */
struct stn_mails_kind {
	_Alignas(32) struct stn_mail sent;
	struct stn_mail received;
};

/* All zeros: nothing was counted. */
struct stn_mails {
	struct stn_mails_kind *kinds[2]; /* [wide] */
	uint8_t places[STN_KINDS_MOST];	 /* a kind's index in both, plus 1; 0:
					  * no message yet */
	uint8_t count;	 /* kinds that have an index */
	uint8_t room[2]; /* elements of each array; 0 if they are not used */
};

/*
 * stn_mails_of: the counts of @kind, valid until the next call. NULL if there
 * is no memory.
 */
static inline struct stn_mails_kind *stn_mails_of(struct stn_mails *mails,
						  uint8_t kind, bool wide);

/* stn_mails_sum: writes the counts of all kinds to @counts. */
void stn_mails_sum(const struct stn_mails *mails, struct stn_counts *counts);

void stn_mails_fini(struct stn_mails *mails);

/* For stn_mails_of: makes room for the first message of @kind. */
struct stn_mails_kind *stn_mails_begin_(struct stn_mails *mails, uint8_t kind,
					bool wide);

static inline struct stn_mails_kind *
stn_mails_of(struct stn_mails *mails, uint8_t kind, bool wide)
{
	uint8_t place = mails->places[kind];

	return place && place <= mails->room[wide]
		       ? &mails->kinds[wide][place - 1]
		       : stn_mails_begin_(mails, kind, wide);
}

#endif
