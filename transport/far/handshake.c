#include "transport/far/handshake.h"

#include <endian.h>
#include <string.h>

#define HANDSHAKE_MAGIC 0x6b636f6e6b6e7473ull /* "stnknock" */
#define ANSWER_MAGIC 0x7265776e616e7473ull    /* "stnanwer" */
#define VERSION 3

struct handshake {
	uint64_t magic;
	uint32_t version, what_for, rank, count;
	unsigned char token[STN_TOKEN_BYTES];
};

struct answer {
	uint64_t magic;
	uint32_t refused, bytes;
};

_Static_assert(sizeof(struct handshake) == STN_HANDSHAKE_BYTES, "as described");
_Static_assert(sizeof(struct answer) == STN_HANDSHAKE_ANSWER_BYTES,
	       "as described");

void
stn_handshake_write(unsigned char bytes[STN_HANDSHAKE_BYTES],
		    const struct stn_handshake *said)
{
	struct handshake handshake = {
		.magic = htole64(HANDSHAKE_MAGIC),
		.version = htole32(VERSION),
		.what_for = htole32(said->what_for),
		.rank = htole32(said->rank),
		.count = htole32(said->count),
	};

	memcpy(handshake.token, said->token, sizeof(handshake.token));
	memcpy(bytes, &handshake, sizeof(handshake));
}

enum stn_err
stn_handshake_read(const unsigned char bytes[STN_HANDSHAKE_BYTES],
		   struct stn_handshake *said)
{
	struct handshake handshake;

	memcpy(&handshake, bytes, sizeof(handshake));
	said->what_for = le32toh(handshake.what_for);
	said->rank = le32toh(handshake.rank);
	said->count = le32toh(handshake.count);
	memcpy(said->token, handshake.token, sizeof(handshake.token));
	if (le64toh(handshake.magic) != HANDSHAKE_MAGIC ||
	    le32toh(handshake.version) != VERSION)
		return STN_MALFORMED;
	switch (said->what_for) {
	case STN_HANDSHAKE_CONTROL:
	case STN_HANDSHAKE_LAUNCHER:
		return said->rank < said->count && said->count <= INT32_MAX
			       ? STN_OK
			       : STN_MALFORMED;
	case STN_HANDSHAKE_SEGMENTS:
		return said->count < STN_CLUSTERS_MOST ? STN_OK : STN_MALFORMED;
	}
	return STN_MALFORMED;
}

void
stn_handshake_answer_write(unsigned char bytes[STN_HANDSHAKE_ANSWER_BYTES],
			   const struct stn_handshake_answer *said)
{
	struct answer answer = {
		.magic = htole64(ANSWER_MAGIC),
		.refused = htole32(said->refused),
		.bytes = htole32(said->bytes),
	};

	memcpy(bytes, &answer, sizeof(answer));
}

enum stn_err
stn_handshake_answer_read(const unsigned char bytes[STN_HANDSHAKE_ANSWER_BYTES],
			  struct stn_handshake_answer *said)
{
	struct answer answer;

	memcpy(&answer, bytes, sizeof(answer));
	said->refused = answer.refused;
	said->bytes = le32toh(answer.bytes);
	if (le64toh(answer.magic) != ANSWER_MAGIC ||
	    le32toh(answer.refused) > 1 || said->bytes > STN_LAYOUT_BYTES)
		return STN_MALFORMED;
	return STN_OK;
}

static unsigned char *
handshake_append(unsigned char *at, uint32_t number)
{
	number = htole32(number);
	return mempcpy(at, &number, sizeof(number));
}

static uint32_t
number_at(const unsigned char *bytes, size_t index)
{
	uint32_t number;

	memcpy(&number, bytes + index * sizeof(number), sizeof(number));
	return le32toh(number);
}

size_t
stn_layout_write(unsigned char bytes[STN_LAYOUT_BYTES],
		 const struct stn_layout *layout)
{
	unsigned char *at = handshake_append(bytes, layout->mine);

	at = handshake_append(at, layout->clusters);
	at = handshake_append(at, layout->nodes);
	at = handshake_append(at, layout->reserved);
	for (uint32_t i = 0; i <= layout->clusters; i++)
		at = handshake_append(at, layout->first[i]);
	return (size_t)(at - bytes);
}

enum stn_err
stn_layout_read(const unsigned char *bytes, size_t size,
		struct stn_layout *layout)
{
	if (size < 2 * sizeof(uint32_t))
		return STN_MALFORMED;
	layout->mine = number_at(bytes, 0);
	layout->clusters = number_at(bytes, 1);
	if (!layout->clusters || layout->clusters > STN_CLUSTERS_MOST ||
	    layout->mine >= layout->clusters ||
	    size != (5 + (size_t)layout->clusters) * sizeof(uint32_t))
		return STN_MALFORMED;
	layout->nodes = number_at(bytes, 2);
	layout->reserved = number_at(bytes, 3);
	for (uint32_t i = 0; i <= layout->clusters; i++)
		layout->first[i] = number_at(bytes, 4 + i);
	if (layout->first[0])
		return STN_MALFORMED;
	for (uint32_t i = 0; i < layout->clusters; i++)
		if (layout->first[i] >= layout->first[i + 1])
			return STN_MALFORMED;
	if (!layout->reserved || layout->reserved > layout->nodes ||
	    layout->nodes > layout->first[layout->clusters])
		return STN_MALFORMED;
	return STN_OK;
}
