/*
 * fabrics_card.h: the card by which a node shows its fabrics and addresses to
 * the other nodes. Little-endian, lengths in bits:
 *
 *	magic (64)
 *	for each fabric: state (8), length of the text (8), rate (32), length
 *	  of the interface's name (8), the text, the interface's name
 *	number of addresses (8), whether they are filtered (8)
 *	for each address: family (8), prefix (8), routed (8), length of the
 *	  interface's name (8), rate (32), the address (128), the name
 */
#ifndef STN_LAUNCH_SURVEY_FABRICS_CARD_H
#define STN_LAUNCH_SURVEY_FABRICS_CARD_H

#include "launch/survey/fabrics.h"
#include "launch/wireup/wireup.h"

/*
 * stn_fabrics_write: makes a card. Returns memory that the caller frees, or
 * NULL if there is none.
 */
unsigned char *stn_fabrics_write(const struct stn_fabrics *fabrics,
				 size_t *size_p);

/*
 * stn_fabrics_read: reads node @rank's card. STN_MALFORMED if it is none;
 * @fabrics is then undefined.
 */
STN_CHECKED enum stn_err stn_fabrics_read(const struct stn_card *card,
					  uint32_t rank,
					  struct stn_fabrics *fabrics,
					  struct stn_why *why);

#endif
