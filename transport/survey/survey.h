/*
 * survey.h: what a node shows the others before any transport is opened: that
 * it speaks as they do, and where it runs. Little-endian:
 *
 *	0 magic (64)	  8 version (32)    12 name's length (16)
 *	14 machine's (16) 16 cores' (16)    18 0 (16)
 *	20 identity, then the host's name, the machine's name, and a bit for
 *	   each core that the process may use, the first one's lowest
 */
#ifndef STN_TRANSPORT_SURVEY_SURVEY_H
#define STN_TRANSPORT_SURVEY_SURVEY_H

#include <sched.h>
#include <stdint.h>

#include "transport/identity.h"
#include "transport/wireup/wireup.h"

#define STN_SURVEY_NAME_BYTES 65

struct stn_survey {
	unsigned char identity[STN_IDENTITY_BYTES];
	char host[STN_SURVEY_NAME_BYTES];    /* its name, for people */
	char machine[STN_SURVEY_NAME_BYTES]; /* x86_64, aarch64 */
	cpu_set_t cores;		     /* that the process may use */
};

/* stn_survey_take: of this process. Any thread. */
void stn_survey_take(struct stn_survey *survey);

/*
 * stn_survey_write: makes a card for nodes of @version; returns memory to free,
 * or NULL.
 */
unsigned char *stn_survey_write(const struct stn_survey *survey,
				uint32_t version, size_t *size_p);

/*
 * stn_survey_read: takes the card of node @rank apart. STN_MALFORMED;
 * STN_INVALID, if it is of another version, or of a machine with another order
 * of bytes; @why says so.
 */
STN_CHECKED enum stn_err stn_survey_read(const struct stn_card *card,
					 uint32_t rank, uint32_t version,
					 struct stn_survey *survey,
					 struct stn_why *why);

#endif
