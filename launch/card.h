/*
 * card.h: the card that nodes exchange once their transports are open: version,
 * address and task table. Little-endian, offsets in bytes:
 *
 *	 0 magic		 8 version	12 size of a record
 *	16 length of the address		20 length of the task table
 *	24 the address, then the task table as text
 */
#ifndef STN_LAUNCH_CARD_H
#define STN_LAUNCH_CARD_H

#include "transport/error.h"
#include "transport/transport.h"
#include "launch/wireup/wireup.h"

#ifndef STN_WIRE_VERSION /* a test program defines another version */
#define STN_WIRE_VERSION 8
#endif

struct stn_card_content {
	const unsigned char *address; /* points into the card */
	size_t address_bytes;
	char *tasks; /* as of stn_table_text; the caller frees it */
};

/*
 * stn_card_write: makes a card. Returns memory that the caller frees, or NULL
 * if there is none.
 */
unsigned char *stn_card_write(const unsigned char *address,
			      size_t address_bytes, const char *tasks,
			      size_t *size_p);

/*
 * stn_card_read: reads node @rank's card. @content is valid as long as the
 * card. STN_MALFORMED; STN_INVALID if the node is of another version;
 * STN_NO_MEMORY.
 */
STN_CHECKED enum stn_err stn_card_read(const struct stn_card *card,
				       uint32_t rank,
				       struct stn_card_content *content,
				       struct stn_why *why);

#endif
