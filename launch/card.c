#include "launch/card.h"

#include <stdlib.h>
#include <string.h>

#include "steal/sateen_record.h"

#define MAGIC 0x6e656574617331ull /* "1sateen" */

struct head {
	uint64_t magic;
	uint32_t version, record_bytes, address_bytes, tasks_bytes;
};

_Static_assert(sizeof(struct head) == 24, "as in card.h");

unsigned char *
stn_card_write(const unsigned char *address, size_t address_bytes,
	       const char *tasks, size_t *size_p)
{
	struct head head = { MAGIC, STN_WIRE_VERSION, STN_RECORD_BYTES,
			     (uint32_t)address_bytes, (uint32_t)strlen(tasks) };
	size_t size = sizeof(head) + head.address_bytes + head.tasks_bytes;
	unsigned char *card = malloc(size);

	if (!card)
		return NULL;
	memcpy(card, &head, sizeof(head));
	memcpy(card + sizeof(head), address, head.address_bytes);
	memcpy(card + sizeof(head) + head.address_bytes, tasks,
	       head.tasks_bytes);
	*size_p = size;
	return card;
}

enum stn_err
stn_card_read(const struct stn_card *card, uint32_t rank,
	      struct stn_card_content *content, struct stn_why *why)
{
	struct head head;

	if (card->size < sizeof(head))
		return stn_because(why, STN_MALFORMED,
				   "node %u's card is malformed", rank);
	memcpy(&head, card->bytes, sizeof(head));
	if (head.magic != MAGIC || head.version != STN_WIRE_VERSION ||
	    head.record_bytes != STN_RECORD_BYTES)
		return stn_because(why, STN_INVALID,
				   "node %u was built with another version of "
				   "Sateen; rebuild it",
				   rank);
	if (head.address_bytes > STN_ADDRESS_BYTES ||
	    card->size != sizeof(head) + (size_t)head.address_bytes +
				  head.tasks_bytes)
		return stn_because(why, STN_MALFORMED,
				   "node %u's card is malformed", rank);
	content->tasks = strndup((const char *)card->bytes + sizeof(head) +
					 head.address_bytes,
				 head.tasks_bytes);
	if (!content->tasks)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	content->address = card->bytes + sizeof(head);
	content->address_bytes = head.address_bytes;
	return STN_OK;
}
