#include "launch/run/muster_card.h"

#include <string.h>

#define MAGIC 0x647261636d6e7473ull /* "stnmcard" */
#define HOST_AT (16 + STN_IDENTITY_BYTES + STN_MUSTER_TOKEN)
#define ADDRESSES_AT (HOST_AT + STN_SURVEY_NAME_BYTES)

struct head {
	uint64_t magic;
	uint16_t port, count;
	uint32_t able;
};

struct packed_address {
	uint8_t family, prefix;
	unsigned char bytes[16];
};

_Static_assert(ADDRESSES_AT + STN_ADDRESSES_MOST *
				       sizeof(struct packed_address) ==
		       STN_MUSTER_CARD_BYTES,
	       "the header names the offsets");

size_t
stn_muster_card_write(const struct stn_muster_card *card,
		      unsigned char bytes[STN_MUSTER_CARD_BYTES])
{
	const struct head head = { MAGIC, card->port, (uint16_t)card->count,
				   card->able };
	unsigned char *at = bytes;

	at = mempcpy(at, &head, sizeof(head));
	at = mempcpy(at, card->identity, sizeof(card->identity));
	at = mempcpy(at, card->token, sizeof(card->token));
	memset(at, 0, STN_SURVEY_NAME_BYTES);
	memcpy(at, card->host, strlen(card->host));
	at += STN_SURVEY_NAME_BYTES;
	for (size_t i = 0; i < card->count; i++) {
		const struct stn_address *address = &card->addresses[i];
		struct packed_address packed = { address->family,
						 address->prefix, "" };

		memcpy(packed.bytes, address->bytes, sizeof(packed.bytes));
		at = mempcpy(at, &packed, sizeof(packed));
	}
	return (size_t)(at - bytes);
}

static bool
read_packed(const unsigned char *at, struct stn_address *address)
{
	struct packed_address packed;

	memcpy(&packed, at, sizeof(packed));
	*address = (struct stn_address){ .family = packed.family,
					 .prefix = packed.prefix };
	memcpy(address->bytes, packed.bytes, sizeof(packed.bytes));
	return (packed.family == 4 && packed.prefix <= 32) ||
	       (packed.family == 6 && packed.prefix <= 128);
}

/* Whatever the bytes are, the name can be printed. */
static void
read_host(const unsigned char *at, char host[STN_SURVEY_NAME_BYTES])
{
	memcpy(host, at, STN_SURVEY_NAME_BYTES - 1);
	host[STN_SURVEY_NAME_BYTES - 1] = '\0';
	for (char *c = host; *c; c++)
		if (*c <= ' ' || *c > '~')
			*c = '?';
}

enum stn_err
stn_muster_card_read(const struct stn_card *bytes, struct stn_muster_card *card)
{
	const unsigned char *at = bytes->bytes;
	struct head head;

	if (bytes->size < ADDRESSES_AT)
		return STN_MALFORMED;
	memcpy(&head, at, sizeof(head));
	if (head.magic != MAGIC || head.count > STN_ADDRESSES_MOST ||
	    head.able > 1 ||
	    bytes->size !=
		    ADDRESSES_AT + head.count * sizeof(struct packed_address))
		return STN_MALFORMED;
	memset(card, 0, sizeof(*card));
	card->port = head.port;
	card->count = head.count;
	card->able = head.able;
	memcpy(card->identity, at + sizeof(head), STN_IDENTITY_BYTES);
	memcpy(card->token, at + sizeof(head) + STN_IDENTITY_BYTES,
	       STN_MUSTER_TOKEN);
	read_host(at + HOST_AT, card->host);
	at += ADDRESSES_AT;
	for (size_t i = 0; i < card->count; i++)
		if (!read_packed(at + i * sizeof(struct packed_address),
				 &card->addresses[i]))
			return STN_MALFORMED;
	return STN_OK;
}

bool
stn_muster_same(const unsigned char one[STN_MUSTER_TOKEN],
		const unsigned char other[STN_MUSTER_TOKEN])
{
	volatile unsigned char differ = 0;

	for (size_t i = 0; i < STN_MUSTER_TOKEN; i++)
		differ |= one[i] ^ other[i];
	return !differ;
}
