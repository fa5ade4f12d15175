#include "parts/hector/desk.h"

#include <stdlib.h>
#include <string.h>

#define URGENT_RUN 8

void
stn_desk_init(struct stn_desk *desk, uint64_t service_ns, bool channels)
{
	*desk = (struct stn_desk){ .service_ns = service_ns,
				   .channels = channels };
	STAILQ_INIT(&desk->urgent);
	STAILQ_INIT(&desk->others);
}

/* Takes the first message out of the list, or returns NULL. */
static struct stn_desk_item *
take_first(struct stn_desk_items *items)
{
	struct stn_desk_item *item = STAILQ_FIRST(items);

	if (item)
		STAILQ_REMOVE_HEAD(items, link);
	return item;
}

static struct stn_desk_item *
desk_next(struct stn_desk *desk)
{
	bool urgent = !STAILQ_EMPTY(&desk->urgent);

	if (urgent && !STAILQ_EMPTY(&desk->others) &&
	    desk->run++ >= URGENT_RUN) {
		desk->run = 0;
		urgent = false;
	}
	return take_first(urgent ? &desk->urgent : &desk->others);
}

void
stn_desk_fini(struct stn_desk *desk)
{
	struct stn_desk_item *item;

	while ((item = take_first(&desk->urgent)) ||
	       (item = take_first(&desk->others)))
		free(item);
	free(desk->served);
	desk->served = NULL;
}

bool
stn_desk_put(struct stn_desk *desk, const struct stn_message *message,
	     bool urgent, uint64_t now)
{
	struct stn_desk_item *item = malloc(sizeof(*item));

	if (!item)
		return false;
	item->from = message->from;
	item->kind = message->kind;
	item->came_ns = now;
	item->header_bytes = message->header_bytes;
	memcpy(item->header, message->header, message->header_bytes);
	if (urgent && desk->channels)
		STAILQ_INSERT_TAIL(&desk->urgent, item, link);
	else
		STAILQ_INSERT_TAIL(&desk->others, item, link);
	return true;
}

struct stn_desk_item *
stn_desk_take(struct stn_desk *desk, uint64_t now, uint64_t *again_p)
{
	struct stn_desk_item *item = desk->served;

	*again_p = STN_FOREVER;
	if (!item) {
		desk->served = item = desk_next(desk);
		desk->served_ns = now + desk->service_ns;
	}
	if (!item)
		return NULL;
	if (now < desk->served_ns) {
		*again_p = desk->served_ns;
		return NULL;
	}
	desk->served = NULL;
	return item;
}
