/*
 * fractiling_move.c: what fractiling knows about a resident set, and the
 * fractiling master, when the set moves to another node.
 */
#include <stdlib.h>
#include <string.h>

#include "node/progress.h"
#include "parts/array.h"
#include "parts/ready.h"
#include "parts/schedulers/fractiling.h"
#include "parts/schedulers/fractiling_master.h"

/* The state of a resident set that moves; behind it its grants. */
struct packed_set {
	uint32_t left, asking, early, master;
	uint64_t asked_ns, answer_ns;
	uint64_t version, end;
	uint32_t turns, grants, operation, mastered;
};

struct packed_grant {
	uint64_t version;
	uint32_t part, heir;
};

/* A grant that came to this node itself is newer, or the same. */
static void
take_packed_grant(struct stn_parts *array, const struct packed_grant *grant)
{
	const struct stn_fractiling_grants *grants =
		&stn_fractiling_grants(array)[grant->part];
	struct stn_part *part = stn_array_known(array, grant->part);

	if (grants->version[grant->version & 1] >= grant->version)
		return;
	stn_fractiling_note(array, grant->part, grant->version, grant->heir);
	if (part)
		stn_fractiling_place(part);
}

static void
consider_each(struct stn_part *part, void *arg)
{
	(void)arg;
	stn_part_consider(part);
}

/* Copies grants for versions that parts may not have yet. Returns how many. */
static uint32_t
pack_grants(const struct stn_parts *array, struct packed_grant *to)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < 2 * array->count; i++) {
		const struct stn_fractiling_grants *grants =
			&stn_fractiling_grants(array)[i / 2];

		if (grants->version[i & 1] <= array->operation.base)
			continue;
		if (to)
			to[count] =
				(struct packed_grant){ grants->version[i & 1],
						       i / 2,
						       grants->heir[i & 1] };
		count++;
	}
	return count;
}

/* The set has gone, and the master with it, if it was here. */
static void
forget_set(struct stn_parts *array)
{
	struct stn_fractiling *state = array->scheduling;

	state->left = 0;
	state->asking = false;
	state->early = false;
	if (array->service->inside)
		return;
	state->master = false;
	for (uint32_t i = 0; i < state->sets; i++)
		state->tiles[i].operation = 0;
}

void *
stn_fractiling_pack(struct stn_parts *array, size_t *bytes_p)
{
	struct stn_fractiling *state = array->scheduling;
	uint32_t grants = pack_grants(array, NULL);
	size_t tiles = state->sets * sizeof(state->tiles[0]);
	struct packed_set *packed;
	unsigned char *behind;

	*bytes_p =
		sizeof(*packed) + tiles + grants * sizeof(struct packed_grant);
	packed = calloc(1, *bytes_p);
	if (!packed)
		stn_array_no_memory(array);
	/* Parts that are being swept will be swept here. */
	state->left -=
		array->running < state->left ? array->running : state->left;
	*packed = (struct packed_set){
		state->left,	state->asking,	  state->early,
		state->master,	state->asked_ns,  state->answer_ns,
		state->version, state->end,	  state->turns,
		grants,		state->operation, state->mastered,
	};
	behind = (unsigned char *)(packed + 1);
	memcpy(behind, state->tiles, tiles);
	pack_grants(array, (struct packed_grant *)(void *)(behind + tiles));
	forget_set(array);
	return packed;
}

/* Until its state is here, the set asks for nothing. */
void
stn_fractiling_expect(struct stn_parts *array)
{
	struct stn_fractiling *state = array->scheduling;

	state->expected = true;
	state->left = 0;
	state->asking = true;
	state->early = false;
}

/* The tiles as the former master knew them, with requests that came since. */
static void
unpack_master(struct stn_parts *array, const struct packed_set *packed,
	      const struct stn_tile *tiles)
{
	struct stn_fractiling *state = array->scheduling;

	state->master = true;
	state->mastered = packed->mastered;
	state->version = packed->version;
	state->end = packed->end;
	for (uint32_t i = 0; i < state->sets; i++) {
		struct stn_tile *tile = &state->tiles[i];
		uint32_t wanted = tile->operation;
		bool early = tile->early;

		*tile = tiles[i];
		if (!wanted || wanted < packed->mastered)
			continue;
		tile->operation = wanted;
		tile->early = early;
		tile->turn = packed->turns + state->turns++;
	}
	state->turns += packed->turns;
	state->serving = STN_NOBODY;
	stn_progress_kick(array->service->node);
}

/* What the set had when it left. Grants may have come here since. */
static void
unpack_set(struct stn_parts *array, const struct packed_set *packed)
{
	struct stn_fractiling *state = array->scheduling;

	state->asking = packed->asking && state->asking;
	state->early = packed->early && state->asking;
	state->left += packed->left;
	state->asked_ns = packed->asked_ns;
	state->answer_ns = packed->answer_ns;
	state->operation = packed->operation;
}

static bool
grants_are_possible(const struct stn_parts *array,
		    const struct packed_grant *grants, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (grants[i].part >= array->count ||
		    grants[i].heir >= array->nodes)
			return false;
	return true;
}

static bool
tiles_are_possible(const struct stn_parts *array, const struct stn_tile *tiles,
		   uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (tiles[i].low > tiles[i].high ||
		    tiles[i].high > array->count)
			return false;
	return true;
}

const struct stn_tile *
stn_fractiling_packed_tiles(const struct stn_parts *array, const void *bytes,
			    size_t count)
{
	const struct packed_set *packed = bytes;
	const struct stn_fractiling *state = array->scheduling;
	const struct stn_tile *tiles = (const void *)(packed + 1);
	size_t least = sizeof(*packed) + state->sets * sizeof(tiles[0]);

	if (count < least ||
	    count != least + packed->grants * sizeof(struct packed_grant) ||
	    !tiles_are_possible(array, tiles, state->sets) ||
	    !grants_are_possible(array, (const void *)&tiles[state->sets],
				 packed->grants))
		return NULL;
	return tiles;
}

/*
 * The set's former node did not know the array yet when the set left; so
 * nothing has been granted.
 */
static void
begin_unknown(struct stn_parts *array)
{
	struct stn_fractiling *state = array->scheduling;

	if (!state->expected || stn_fractiling_over(array))
		return;
	state->expected = false;
	state->asking = false;
	state->master = stn_fractiling_is_master(array);
	state->operation = 0;
	if (stn_fractiling_hands_out(array))
		stn_fractiling_begin(array);
	stn_array_each(array, consider_each, NULL);
	stn_fractiling_want(array);
}

/*
 * The set's former node may have been an operation behind this one; then the
 * set begins with the operation here.
 */
enum stn_err
stn_fractiling_unpack(struct stn_parts *array, const void *bytes, size_t count)
{
	const struct packed_set *packed = bytes;
	struct stn_fractiling *state = array->scheduling;
	const struct packed_grant *grants;
	const struct stn_tile *tiles;

	if (!bytes) {
		begin_unknown(array);
		return STN_OK;
	}
	state->expected = false;
	/* A node that has joined may count other sets than the sender. */
	if (stn_fractiling_over(array))
		return STN_OK;
	tiles = stn_fractiling_packed_tiles(array, bytes, count);
	if (!tiles)
		return STN_MALFORMED;
	grants = (const void *)&tiles[state->sets];
	unpack_set(array, packed);
	for (uint32_t i = 0; i < packed->grants; i++)
		take_packed_grant(array, &grants[i]);
	if (packed->master && !array->service->inside)
		unpack_master(array, packed, tiles);
	if (stn_fractiling_hands_out(array))
		stn_fractiling_begin(array);
	stn_array_each(array, consider_each, NULL);
	stn_fractiling_want(array);
	return STN_OK;
}
