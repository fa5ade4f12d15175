/*
 * muster_card.h: the card that each process shows at the muster (muster.h).
 * Little-endian, offsets in bytes, lengths in bits:
 *
 *	 0 magic (64)			 8 port of process 0 (16)
 *	10 number of addresses (16)	12 can the process be an agent? (32)
 *	16 identity	48 token	80 the host's name, filled up with zeros
 *	145 the addresses of process 0: family (8), prefix (8), 16 bytes each
 */
#ifndef STN_LAUNCH_RUN_MUSTER_CARD_H
#define STN_LAUNCH_RUN_MUSTER_CARD_H

#include "launch/survey/addresses.h"
#include "launch/survey/survey.h"

#define STN_MUSTER_TOKEN 32
#define STN_MUSTER_CARD_BYTES (145 + 18 * STN_ADDRESSES_MOST)

struct stn_muster_card {
	unsigned char identity[STN_IDENTITY_BYTES];
	unsigned char token[STN_MUSTER_TOKEN]; /* random, a secret of the run */
	char host[STN_SURVEY_NAME_BYTES];
	bool able; /* to be an agent */
	uint16_t port;
	size_t count;
	struct stn_address addresses[STN_ADDRESSES_MOST];
};

/* stn_muster_card_write: returns the number of bytes. */
size_t stn_muster_card_write(const struct stn_muster_card *card,
			     unsigned char bytes[STN_MUSTER_CARD_BYTES]);

/*
 * stn_muster_card_read: STN_MALFORMED if no process writes this card. The name
 * has '?' for each byte that can't be printed.
 */
STN_CHECKED enum stn_err stn_muster_card_read(const struct stn_card *bytes,
					      struct stn_muster_card *card);

/* stn_muster_same: compares tokens in a time that does not depend on them. */
bool stn_muster_same(const unsigned char one[STN_MUSTER_TOKEN],
		     const unsigned char other[STN_MUSTER_TOKEN]);

#endif
