#include "launch/survey/fabrics_card.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC 0x7362616673747333ull /* "3stsfabs" */
#define FOUND_BYTES 7		    /* of a fabric, without its texts */
#define ADDRESS_BYTES 24	    /* of an address, without its interface */
#define MOST_BYTES                                                             \
	(sizeof(uint64_t) +                                                    \
	 STN_FABRICS *                                                         \
		 (FOUND_BYTES + STN_FABRIC_TEXT_BYTES + STN_INTERFACE_BYTES) + \
	 2 + STN_ADDRESSES_MOST * (ADDRESS_BYTES + STN_INTERFACE_BYTES))

/* A card that is being read. */
struct reader {
	const unsigned char *at;
	size_t left;
	bool broken;
};

static unsigned char *
put_found(unsigned char *at, const struct stn_fabric_found *found)
{
	size_t length = strlen(found->text), net = strlen(found->net);

	*at++ = (unsigned char)found->state;
	*at++ = (unsigned char)length;
	at = mempcpy(at, &found->mbits, sizeof(found->mbits));
	*at++ = (unsigned char)net;
	at = mempcpy(at, found->text, length);
	return mempcpy(at, found->net, net);
}

static unsigned char *
put_address(unsigned char *at, const struct stn_address *address)
{
	size_t length = strlen(address->interface);

	*at++ = address->family;
	*at++ = address->prefix;
	*at++ = address->routed;
	*at++ = (unsigned char)length;
	at = mempcpy(at, &address->mbits, sizeof(address->mbits));
	at = mempcpy(at, address->bytes, sizeof(address->bytes));
	return mempcpy(at, address->interface, length);
}

unsigned char *
stn_fabrics_write(const struct stn_fabrics *fabrics, size_t *size_p)
{
	const struct stn_addresses *addresses = &fabrics->addresses;
	unsigned char *card = malloc(MOST_BYTES), *at = card;
	const uint64_t magic = MAGIC;

	if (!card)
		return NULL;
	at = mempcpy(at, &magic, sizeof(magic));
	for (size_t i = 0; i < STN_FABRICS; i++)
		at = put_found(at, &fabrics->found[i]);
	*at++ = (unsigned char)addresses->count;
	*at++ = addresses->filtered;
	for (size_t i = 0; i < addresses->count; i++)
		at = put_address(at, &addresses->at[i]);
	*size_p = (size_t)(at - card);
	return card;
}

/* Reads bytes. If too few are left, @to is zeroed. */
static void
get(struct reader *reader, void *to, size_t bytes)
{
	if (reader->left < bytes || reader->broken) {
		reader->broken = true;
		memset(to, 0, bytes);
		return;
	}
	memcpy(to, reader->at, bytes);
	reader->at += bytes;
	reader->left -= bytes;
}

static uint8_t
get_number(struct reader *reader, uint8_t most)
{
	uint8_t number;

	get(reader, &number, 1);
	if (number > most)
		reader->broken = true;
	return reader->broken ? 0 : number;
}

/* Reads printable text only, since messages show it. */
static void
get_text(struct reader *reader, char *text, size_t length)
{
	get(reader, text, length);
	text[length] = '\0';
	for (char *at = text; at < text + length && !reader->broken; at++)
		if ((unsigned char)*at < ' ' || (unsigned char)*at >= 0x7f)
			reader->broken = true;
}

static void
get_found(struct reader *reader, struct stn_fabric_found *found)
{
	size_t length, net;

	found->state =
		(enum stn_fabric_state)get_number(reader, STN_FABRIC_USABLE);
	length = get_number(reader, STN_FABRIC_TEXT_BYTES - 1);
	get(reader, &found->mbits, sizeof(found->mbits));
	net = get_number(reader, STN_INTERFACE_BYTES - 1);
	get_text(reader, found->text, length);
	get_text(reader, found->net, net);
}

static void
fabrics_card_get_address(struct reader *reader, struct stn_address *address)
{
	size_t length;

	address->family = get_number(reader, 6);
	if (address->family != 4 && address->family != 6)
		reader->broken = true;
	address->prefix = get_number(reader, address->family == 4 ? 32 : 128);
	address->routed = get_number(reader, 1);
	length = get_number(reader, STN_INTERFACE_BYTES - 1);
	get(reader, &address->mbits, sizeof(address->mbits));
	get(reader, address->bytes, sizeof(address->bytes));
	get_text(reader, address->interface, length);
}

enum stn_err
stn_fabrics_read(const struct stn_card *card, uint32_t rank,
		 struct stn_fabrics *fabrics, struct stn_why *why)
{
	struct reader reader = { card->bytes, card->size, false };
	struct stn_addresses *addresses = &fabrics->addresses;
	uint64_t magic;

	memset(fabrics, 0, sizeof(*fabrics));
	get(&reader, &magic, sizeof(magic));
	for (size_t i = 0; i < STN_FABRICS; i++)
		get_found(&reader, &fabrics->found[i]);
	addresses->count = get_number(&reader, STN_ADDRESSES_MOST);
	addresses->filtered = get_number(&reader, 1);
	for (size_t i = 0; i < addresses->count && !reader.broken; i++)
		fabrics_card_get_address(&reader, &addresses->at[i]);
	if (magic == MAGIC && !reader.broken && !reader.left)
		return STN_OK;
	return stn_because(why, STN_MALFORMED,
			   "node %u's list of its fabrics is malformed", rank);
}
