/*
 * card.h: what a node shows the others before a run: that it speaks as they
 * do, its address, and its tasks.
 *
 *	0 magic   8 version   12 record size   16 address length
 *	20 length of the task table's text   24 address, then the text
 */
#ifndef STN_STEAL_JOIN_CARD_H
#define STN_STEAL_JOIN_CARD_H

#include "transport/error.h"
#include "transport/transport.h"
#include "transport/wireup/wireup.h"

#ifndef STN_WIRE_VERSION /* a test has one of another */
#define STN_WIRE_VERSION 4
#endif

struct stn_hello {
	const unsigned char *address;
	size_t address_bytes;
	char *tasks; /* text, see stn_table_text; to be freed */
};

/* stn_card_write: makes a card; returns memory to free, or NULL. */
unsigned char *stn_card_write(const unsigned char *address,
			      size_t address_bytes, const char *tasks,
			      size_t *size_p);

/*
 * stn_card_read: takes node @rank's card apart. @hello's address points into
 * the card. STN_MALFORMED, or STN_INVALID if it is of another version; @why
 * says so.
 */
STN_CHECKED enum stn_err stn_card_read(const struct stn_card *card,
				       uint32_t rank, struct stn_hello *hello,
				       struct stn_why *why);

#endif
