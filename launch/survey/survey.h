/*
 * survey.h: the first card that a node shows, before any transport is opened:
 * its version of Sateen and the host that it runs on. Little-endian, offsets in
 * bytes, lengths in bits:
 *
 *	 0 magic (64)			 8 version (32)
 *	12 length of the host's name (16)
 *	14 length of the machine's name (16)
 *	16 bytes of cores (16)
 *	18 bit 0: the node uses fused multiply-add; the others are 0 (16)
 *	20 identity, then the host's name, the machine's name, and a bit for
 *	   each core that the process may use, lowest bits first
 */
#ifndef STN_LAUNCH_SURVEY_SURVEY_H
#define STN_LAUNCH_SURVEY_SURVEY_H

#include <sched.h>
#include <stdint.h>

#include "transport/identity.h"
#include "launch/wireup/wireup.h"

#define STN_SURVEY_NAME_BYTES 65

struct stn_survey {
	unsigned char identity[STN_IDENTITY_BYTES];
	char host[STN_SURVEY_NAME_BYTES];    /* the host's name, for messages */
	char machine[STN_SURVEY_NAME_BYTES]; /* x86_64, aarch64 */
	cpu_set_t cores;		     /* that the process may use */
	bool fuses;			     /* see node/processor.h */
};

/*
 * stn_survey_take: fills in the survey of this process, except member fuses.
 * Any thread.
 */
void stn_survey_take(struct stn_survey *survey);

/*
 * stn_survey_write: makes a card of nodes of @version. Returns memory that the
 * caller frees, or NULL if there is none.
 */
unsigned char *stn_survey_write(const struct stn_survey *survey,
				uint32_t version, size_t *size_p);

/*
 * stn_survey_read: reads the card of node @rank. STN_MALFORMED; STN_INVALID if
 * the node is of another version, or of a machine with another byte order.
 * Names have '?' for each byte that can't be printed.
 */
STN_CHECKED enum stn_err stn_survey_read(const struct stn_card *card,
					 uint32_t rank, uint32_t version,
					 struct stn_survey *survey,
					 struct stn_why *why);

#endif
