#include "parts/moves/awaited.h"

#include "parts/array.h"
#include "parts/ready.h"

/* The part of this node that is furthest behind, and can't be swept. */
struct search {
	struct stn_part *last;
	uint64_t version; /* parts of a higher version are not looked at */
	bool works;	  /* a part that is as far behind can be swept */
};

static void
look_for_last(struct stn_part *part, void *arg)
{
	struct search *search = arg;
	bool waits = !part->running && !stn_part_fresh(part);

	if (part->version > search->version ||
	    part->finished == part->array->operation.order.number)
		return;
	if (part->version < search->version || !waits) {
		search->last = NULL;
		search->works = !waits;
	}
	search->version = part->version;
	if (waits && !search->works)
		search->last = part;
}

static bool
has_landed(const struct stn_part *part, uint32_t place)
{
	const struct stn_landing *landing;

	SLIST_FOREACH(landing, &part->landings[part->version & 1], link)
	if (landing->place == place)
		return true;
	return false;
}

/* A node that has not sent a piece that @part waits for. */
static uint32_t
node_of_missing(const struct stn_part *part, uint32_t *place)
{
	struct stn_parts *array = part->array;
	uint32_t places = stn_shape_places(&array->shape);

	for (uint32_t i = 0; i < places; i++) {
		uint32_t at = ++*place % places;
		struct stn_piece piece;
		uint32_t home;

		if (!stn_shape_needs(&array->shape, part->number, at, &piece) ||
		    has_landed(part, at))
			continue;
		home = stn_array_home(array, piece.from);
		if (home != array->service->node->rank)
			return home;
	}
	return STN_NOBODY;
}

uint32_t
stn_awaited_node(struct stn_parts *array, uint64_t version, uint32_t *place)
{
	struct search search = { NULL, version, false };

	stn_array_each(array, look_for_last, &search);
	return search.last ? node_of_missing(search.last, place) : STN_NOBODY;
}
