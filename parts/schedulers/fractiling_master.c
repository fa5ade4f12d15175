#include "parts/schedulers/fractiling_master.h"

#include "node/dispatch.h"
#include "node/progress.h"
#include "parts/array.h"
#include "parts/seats.h"

#define MASTER 0 /* the resident set that has the fractiling master */

/* The master is a part of its resident set, or of the master allocator. */
static uint32_t
master_node(const struct stn_parts *array)
{
	const struct stn_parts_service *service = array->service;

	return service->inside ? service->node->members.root
			       : stn_seat_node(service, MASTER);
}

bool
stn_fractiling_is_master(const struct stn_parts *array)
{
	return master_node(array) == array->service->node->rank;
}

/* On the master: the tiles are whole, or half of each has been granted. */
static void
begin_tiles(struct stn_parts *array, uint64_t version, bool halved)
{
	struct stn_fractiling *state = array->scheduling;

	state->version = version;
	for (uint32_t i = 0; i < state->sets; i++) {
		struct stn_tile *tile = &state->tiles[i];

		tile->low = stn_fractiling_tile(array, i);
		tile->high = stn_fractiling_tile(array, i + 1ull);
		if (!halved)
			continue;
		tile->low +=
			stn_tile_chunk(tile->high - tile->low, state->least);
		tile->version = version;
		/* A set that has asked for this operation has no part of its
		 * own; one that asked for the last one has, by now.
		 */
		if (tile->operation != array->operation.order.number)
			tile->operation = 0;
	}
}

void
stn_fractiling_master_begin(struct stn_parts *array)
{
	struct stn_fractiling *state = array->scheduling;
	const struct stn_operation *operation = &array->operation;

	if (state->mastered == operation->order.number)
		return;
	state->mastered = operation->order.number;
	state->serving = STN_NOBODY;
	state->end = operation->base + operation->blocks;
	begin_tiles(array, operation->base, true);
	stn_progress_kick(array->service->node); /* requests may have come */
}

/*
 * Takes a chunk for set @set. False if it has to wait, or if all parts of the
 * operation have been granted.
 */
static bool
take_chunk(struct stn_parts *array, uint32_t set, struct stn_tile_chunk *chunk)
{
	struct stn_fractiling *state = array->scheduling;
	struct stn_tile *tiles = state->tiles;

	if (stn_tile_take(tiles, state->sets, set, state->least, chunk))
		return true;
	if (state->version + 1 >= state->end ||
	    stn_tiles_behind(tiles, state->sets, state->version))
		return false;
	begin_tiles(array, state->version + 1, false);
	return stn_tile_take(tiles, state->sets, set, state->least, chunk);
}

/* On the master: answers set @set. False if it has to wait. */
static bool
grant_to(struct stn_parts *array, uint32_t set)
{
	struct stn_fractiling *state = array->scheduling;
	struct stn_tile_chunk chunk;

	if (!take_chunk(array, set, &chunk))
		return false;
	state->tiles[set].operation = 0;
	state->tiles[set].version = state->version;
	stn_fractiling_take(array, (struct stn_parts_ask){
					   .array = array->id,
					   .lowest = state->version + 1,
					   .left = chunk.tile,
					   .parts = chunk.first,
					   .next = set,
					   .gifts = chunk.count,
				   });
	return true;
}

uint64_t
stn_fractiling_look_after(struct stn_parts *array, uint64_t now)
{
	struct stn_fractiling *state = array->scheduling;

	while (state->master && stn_fractiling_hands_out(array)) {
		uint32_t set = state->serving;

		if (set == STN_NOBODY) {
			set = stn_tile_first(state->tiles, state->sets,
					     array->operation.order.number);
			if (set == state->sets)
				break;
			state->serving = set;
			state->served_ns = now + state->service_ns;
		}
		if (now < state->served_ns)
			return state->served_ns;
		state->serving = STN_NOBODY;
		if (!grant_to(array, set))
			break; /* until another set asks */
	}
	return STN_FOREVER;
}

void
stn_fractiling_request(struct stn_parts *array, const struct stn_parts_ask *ask)
{
	struct stn_node *node = array->service->node;
	struct stn_fractiling *state = array->scheduling;
	struct stn_tile *tile = &state->tiles[ask->next];

	if (!stn_fractiling_is_master(array)) {
		stn_node_say(node, master_node(array), STN_PARTS_KIND_ASK, ask,
			     sizeof(*ask));
		return;
	}
	tile->early = ask->lowest == EARLY;
	/* A master whose state is on its way does not know if it has answered.
	 */
	if (ask->lowest != DONE_NOW || !state->master) {
		tile->operation = ask->gifts;
		tile->turn = state->turns++;
	}
	if (!state->service_ns)
		stn_fractiling_look_after(array, stn_node_now(node));
	else
		stn_progress_kick(node);
}
