#include "launch/survey/survey.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#define MAGIC 0x7665767275736e73ull /* "snsurvev" */

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
	       "records and sets of cores travel as they lie");

struct head {
	uint64_t magic;
	uint32_t version;
	uint16_t host_bytes, machine_bytes, cores_bytes, fuses;
};

#define HEAD_BYTES (20 + STN_IDENTITY_BYTES)

void
stn_survey_take(struct stn_survey *survey)
{
	struct utsname names;

	memset(survey, 0, sizeof(*survey));
	stn_identity_write(survey->identity);
	if (!uname(&names)) {
		snprintf(survey->host, sizeof(survey->host), "%s",
			 names.nodename);
		snprintf(survey->machine, sizeof(survey->machine), "%s",
			 names.machine);
	}
	/* With more cores than a cpu_set_t holds, none is known. */
	if (sched_getaffinity(0, sizeof(survey->cores), &survey->cores))
		CPU_ZERO(&survey->cores);
}

/* Returns the bytes of the set up to the last core. */
static size_t
count_cores_bytes(const cpu_set_t *cores)
{
	const unsigned char *bits = (const unsigned char *)cores;
	size_t bytes = sizeof(*cores);

	while (bytes && !bits[bytes - 1])
		bytes--;
	return bytes;
}

unsigned char *
stn_survey_write(const struct stn_survey *survey, uint32_t version,
		 size_t *size_p)
{
	size_t cores = count_cores_bytes(&survey->cores);
	struct head head = { MAGIC,
			     version,
			     (uint16_t)strlen(survey->host),
			     (uint16_t)strlen(survey->machine),
			     (uint16_t)cores,
			     survey->fuses };
	size_t size = HEAD_BYTES + (size_t)head.host_bytes +
		      head.machine_bytes + cores;
	unsigned char *card = calloc(1, size), *at;

	if (!card)
		return NULL;
	memcpy(card, &head, 20);
	at = mempcpy(card + 20, survey->identity, STN_IDENTITY_BYTES);
	at = mempcpy(at, survey->host, head.host_bytes);
	at = mempcpy(at, survey->machine, head.machine_bytes);
	memcpy(at, &survey->cores, cores);
	*size_p = size;
	return card;
}

static enum stn_err
check_head(const struct head *head, size_t size, uint32_t rank,
	   uint32_t version, struct stn_why *why)
{
	if (head->magic == __builtin_bswap64(MAGIC))
		return stn_because(
			why, STN_INVALID,
			"node %u runs on a machine with another byte "
			"order; leave that machine out",
			rank);
	if (head->magic != MAGIC || head->version != version)
		return stn_because(why, STN_INVALID,
				   "node %u was built with another version of "
				   "Sateen; rebuild it",
				   rank);
	if (head->fuses > 1 || head->host_bytes >= STN_SURVEY_NAME_BYTES ||
	    head->machine_bytes >= STN_SURVEY_NAME_BYTES ||
	    head->cores_bytes > CPU_SETSIZE / 8 ||
	    size != HEAD_BYTES + (size_t)head->host_bytes +
			    head->machine_bytes + head->cores_bytes)
		return stn_because(why, STN_MALFORMED,
				   "node %u's survey is malformed", rank);
	return STN_OK;
}

/* Reads a name, with '?' for each byte that would break a message. */
static const unsigned char *
read_name(char name[STN_SURVEY_NAME_BYTES], const unsigned char *from,
	  size_t bytes)
{
	memset(name, 0, STN_SURVEY_NAME_BYTES);
	for (size_t i = 0; i < bytes; i++)
		name[i] = from[i] > ' ' && from[i] < 0x7f ? (char)from[i] : '?';
	return from + bytes;
}

enum stn_err
stn_survey_read(const struct stn_card *card, uint32_t rank, uint32_t version,
		struct stn_survey *survey, struct stn_why *why)
{
	const unsigned char *at = card->bytes;
	struct head head;
	enum stn_err err;

	if (card->size < HEAD_BYTES)
		return stn_because(why, STN_MALFORMED,
				   "node %u's survey is malformed", rank);
	memcpy(&head, at, 20);
	err = check_head(&head, card->size, rank, version, why);
	if (err)
		return err;
	memcpy(survey->identity, at + 20, STN_IDENTITY_BYTES);
	at = read_name(survey->host, at + HEAD_BYTES, head.host_bytes);
	at = read_name(survey->machine, at, head.machine_bytes);
	CPU_ZERO(&survey->cores);
	memcpy(&survey->cores, at, head.cores_bytes);
	survey->fuses = head.fuses;
	return STN_OK;
}
