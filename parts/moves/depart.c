#include "parts/moves/depart.h"

#include <stdlib.h>
#include <string.h>

#include "node/dispatch.h"
#include "parts/array.h"
#include "parts/cells/cells.h"
#include "parts/early.h"
#include "parts/moves/move.h"
#include "parts/survive/second.h"

/* The homes of parts, on their way to all nodes, or arriving. */
struct homes_news {
	struct stn_parts *array;
	uint32_t users, from;
	struct stn_parts_homes header;
	struct stn_homes homes;
};

/*
 * The home of the nearest part that isn't here, in steps of @step, or
 * STN_NOBODY.
 */
static uint32_t
nearest_home(const struct stn_part *part, int step, uint32_t *distance_p)
{
	const struct stn_parts *array = part->array;
	const struct stn_node *node = array->service->node;

	for (uint32_t i = 1;; i++) {
		int64_t number = part->number + (int64_t)step * i;
		uint32_t home;

		*distance_p = i;
		if (number < 0 || number >= array->count)
			return STN_NOBODY;
		home = stn_array_home(array, (uint32_t)number);
		if (home != node->rank)
			return stn_members_stays(&node->members, home)
				       ? home
				       : STN_NOBODY;
	}
}

void
stn_depart_part(struct stn_part *part)
{
	const struct stn_parts *array = part->array;
	uint32_t below, above, down, up, heir;

	if (array->freed || !stn_part_can_move(part))
		return;
	below = nearest_home(part, -1, &down);
	above = nearest_home(part, 1, &up);
	heir = above == STN_NOBODY || (below != STN_NOBODY && down < up)
		       ? below
		       : above;
	if (heir == STN_NOBODY)
		heir = stn_array_other(array, array->service->node->rank);
	if (heir != STN_NOBODY)
		stn_part_give(part, heir);
}

static void
homes_release(struct homes_news *news)
{
	if (--news->users)
		return;
	stn_homes_fini(&news->homes);
	free(news);
}

static void
homes_must_arrive(const struct homes_news *news, enum stn_err err)
{
	stn_node_must_arrive(news->array->service->node,
			     "the homes of an array's parts", err);
}

static void
homes_told(void *arg, enum stn_err err)
{
	homes_must_arrive(arg, err);
	homes_release(arg);
}

static struct homes_news *
create_homes_news(struct stn_parts *array, const struct stn_parts_homes *header)
{
	struct homes_news *news = calloc(1, sizeof(*news));

	if (!news)
		stn_array_no_memory(array);
	news->array = array;
	news->header = *header;
	news->users = 1;
	return news;
}

/* All parts of which a node may think that they are here. */
static void
list_former_homes(const struct stn_parts *array, struct stn_homes *homes)
{
	uint32_t rank = array->service->node->rank;

	for (uint32_t i = 0; i < array->count; i++) {
		if ((stn_array_known(array, i) ||
		     stn_array_first_home(array, i) == rank) &&
		    stn_homes_add(homes, i, stn_array_home(array, i),
				  stn_array_epoch(array, i)))
			stn_array_no_memory(array);
	}
}

static void
tell_homes(struct stn_parts *array)
{
	struct stn_parts_service *service = array->service;
	struct stn_node *node = service->node;
	const struct stn_parts_homes header = { array->id,
						service->departure.round };
	struct homes_news *news = create_homes_news(array, &header);
	struct iovec piece;

	list_former_homes(array, &news->homes);
	piece = (struct iovec){ news->homes.list,
				news->homes.count *
					sizeof(news->homes.list[0]) };
	for (uint32_t i = 0; i < node->topology->nodes; i++) {
		if (i == node->rank || !stn_members_has(&node->members, i))
			continue;
		news->users++;
		service->departure.owed++;
		stn_node_send(node, i, STN_PARTS_KIND_HOMES, &news->header,
			      sizeof(news->header), &piece, piece.iov_len > 0,
			      homes_told, news);
	}
	homes_release(news);
}

/* Gives away all parts that can move. Returns false if some are still here. */
static bool
give_all(struct stn_parts *array)
{
	struct stn_part **list;
	uint32_t count = array->here;

	if (!count)
		return true;
	list = malloc(count * sizeof(list[0]));
	if (!list)
		stn_array_no_memory(array);
	stn_array_list(array, list);
	for (uint32_t i = 0; i < count; i++)
		stn_depart_part(list[i]);
	free(list);
	return !array->here;
}

/* A CLEAR on its way to all nodes. */
struct clear_news {
	struct stn_parts_service *service;
	uint32_t users;
	struct stn_parts_clear header;
};

static void
clear_told(void *arg, enum stn_err err)
{
	struct clear_news *news = arg;

	stn_node_must_arrive(news->service->node,
			     "the message that a node leaves", err);
	if (--news->users)
		return;
	news->service->under_way--;
	free(news);
}

/* Until all nodes have been told, this one stays: it would seem to have died.
 */
static void
tell_clear(struct stn_parts_service *service)
{
	struct stn_node *node = service->node;
	struct clear_news *news = calloc(1, sizeof(*news));

	if (!news)
		stn_node_fail(node, "out of memory");
	news->service = service;
	news->users = 1;
	service->under_way++;
	service->departure.clear = true;
	for (uint32_t i = 0; i < node->topology->nodes; i++) {
		if (i == node->rank || !stn_members_has(&node->members, i))
			continue;
		news->users++;
		stn_node_send(node, i, STN_PARTS_KIND_CLEAR, &news->header,
			      sizeof(news->header), NULL, 0, clear_told, news);
	}
	clear_told(news, STN_OK);
}

/*
 * GIVE may wait among early messages while its sender is a view ahead. If this
 * node left now, the part would be lost.
 */
bool
stn_depart(struct stn_parts_service *service)
{
	struct stn_departure *departure = &service->departure;
	bool empty = !stn_early_has(service, STN_PARTS_KIND_GIVE);
	struct stn_parts *array;

	SLIST_FOREACH(array, &service->arrays, link)
	if (array->scheduling && !array->freed) {
		empty &= !array->restoring && give_all(array) &&
			 !(array->cells && stn_cells_is_cutting(array));
		stn_second_hand_over(array);
	}
	if (!empty)
		return false;
	if (!departure->told) {
		departure->told = true;
		departure->clear = false;
		departure->owed = 0;
		departure->round++;
		SLIST_FOREACH(array, &service->arrays, link)
		if (array->scheduling && !array->freed)
			tell_homes(array);
	}
	if (departure->owed || service->under_way)
		return false;
	if (!departure->clear)
		tell_clear(service);
	return !service->under_way;
}

void
stn_depart_died(struct stn_parts_service *service)
{
	service->departure.told = false;
}

/*
 * The node that leaves may not have got a part yet that this node has given to
 * it: its news of that part are old, and others follow when the part has come.
 */
static void
note_home(struct stn_parts *array, const struct stn_home *home, uint32_t number,
	  uint32_t from)
{
	struct stn_part *part = stn_array_part(array, number);

	if (!part)
		stn_array_no_memory(array);
	if (part->here || part->arriving || home->epoch < part->epoch ||
	    home->home == array->service->node->rank ||
	    (home->epoch == part->epoch && part->home != from))
		return;
	part->home = home->home;
	part->epoch = home->epoch;
	part->expected = STN_NOBODY;
}

static void
homes_landed(void *arg, enum stn_err err)
{
	struct homes_news *news = arg;
	struct stn_parts *array = news->array;
	struct stn_node *node = array->service->node;
	/* Cells have another number of parts in another generation. */
	bool current =
		!err && news->header.array.generation == array->id.generation;

	homes_must_arrive(news, err);
	if (current &&
	    !stn_homes_valid(news->homes.list, news->homes.count, array->count,
			     node->topology->nodes, false))
		stn_node_fail(node, "a node that leaves has sent malformed "
				    "homes of an array");
	if (current)
		for (uint32_t i = 0; i < news->homes.count; i++) {
			const struct stn_home *home = &news->homes.list[i];

			for (uint32_t j = 0; j < home->count; j++)
				note_home(array, home, home->first + j,
					  news->from);
		}
	if (!err)
		stn_node_say(node, news->from, STN_PARTS_KIND_NOTED,
			     &news->header, sizeof(news->header));
	homes_release(news);
}

enum stn_err
stn_depart_homes(struct stn_parts *array, const struct stn_message *message,
		 const struct stn_parts_homes *header)
{
	struct homes_news *news = create_homes_news(array, header);
	size_t bytes = message->payload_bytes;
	struct iovec piece;

	news->from = message->from;
	news->homes.count = (uint32_t)(bytes / sizeof(news->homes.list[0]));
	news->homes.list = malloc(bytes + 1);
	if (!news->homes.list)
		stn_array_no_memory(array);
	piece = (struct iovec){ news->homes.list, bytes };
	if (bytes)
		stn_early_take(array->service, message, &piece, 1, homes_landed,
			       news);
	else
		homes_landed(news, STN_OK);
	return STN_OK;
}

void
stn_depart_noted(struct stn_parts_service *service,
		 const struct stn_parts_homes *header)
{
	if (header->round == service->departure.round &&
	    service->departure.owed)
		service->departure.owed--;
}

void
stn_depart_clear(struct stn_parts_service *service, uint32_t from)
{
	if (!service->clear)
		service->clear = calloc(service->node->topology->nodes / 64 + 1,
					sizeof(service->clear[0]));
	if (!service->clear)
		stn_node_fail(service->node, "out of memory");
	service->clear[from / 64] |= UINT64_C(1) << from % 64;
}

bool
stn_depart_is_clear(const struct stn_parts_service *service, uint32_t rank)
{
	return service->clear && service->clear[rank / 64] >> rank % 64 & 1;
}
