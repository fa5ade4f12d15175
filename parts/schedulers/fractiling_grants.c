#include "parts/schedulers/fractiling_grants.h"

#include "node/dispatch.h"
#include "parts/array.h"
#include "parts/cells/cells.h"
#include "parts/moves/move.h"
#include "parts/ready.h"
#include "parts/seats.h"

/* The parts of cells that have been cut, or NULL. */
static const struct stn_leaf *
leaves_of(const struct stn_parts *array)
{
	const struct stn_cells *cells = array->cells;

	return cells && cells->tree.parts == array->count ? cells->tree.leaves
							  : NULL;
}

/* Whether each set has a run of parts at first. */
static bool
has_tiles(const struct stn_parts *array)
{
	const struct stn_leaf *leaves = leaves_of(array);

	return leaves ? leaves[array->count - 1].set < array->nodes
		      : !array->homes.count;
}

/* The cut of cells says where tiles are; the sets of its leaves ascend. */
uint32_t
stn_fractiling_tile(const struct stn_parts *array, uint64_t set)
{
	const struct stn_leaf *leaves = leaves_of(array);
	uint32_t low = 0, high = array->count;

	if (!leaves)
		return stn_array_first_part(array, set);
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (leaves[middle].set < set)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* After a view of the membership grants may be lost: parts stay where they are.
 */
bool
stn_fractiling_over(const struct stn_parts *array)
{
	const struct stn_parts_service *service = array->service;

	return array->regrouped || array->nodes < 2 || !has_tiles(array) ||
	       (service->sets_move && service->scattered);
}

/* Whether parts of the current operation are granted. */
bool
stn_fractiling_hands_out(const struct stn_parts *array)
{
	return array->operation.order.what == STN_PARTS_SWEEPS &&
	       array->pause != UINT64_MAX;
}

void
stn_fractiling_note(struct stn_parts *array, uint32_t part, uint64_t version,
		    uint32_t heir)
{
	struct stn_fractiling_grants *grants =
		&stn_fractiling_grants(array)[part];

	grants->version[version & 1] = version;
	grants->heir[version & 1] = heir;
}

static uint32_t
tile_of(const struct stn_parts *array, uint32_t part)
{
	const struct stn_leaf *leaves = leaves_of(array);

	return leaves ? leaves[part].set : stn_array_first_home(array, part);
}

static bool
is_here(const struct stn_parts *array, uint32_t set)
{
	return stn_seat_node(array->service, set) == array->service->node->rank;
}

/* The part is to be swept here, or sent where it belongs. */
void
stn_fractiling_place(struct stn_part *part)
{
	struct stn_parts *array = part->array;
	const struct stn_fractiling_grants *grants =
		&stn_fractiling_grants(array)[part->number];
	uint64_t next = part->version + 1;
	bool granted = grants->version[next & 1] == next;
	uint32_t set =
		granted ? grants->heir[next & 1] : tile_of(array, part->number);

	if (stn_fractiling_over(array) || !stn_part_can_move(part))
		return;
	if (!is_here(array, set)) {
		stn_part_give(part, stn_seat_node(array->service, set));
	} else if (granted) {
		part->granted = next;
		stn_part_consider(part);
	}
}

/* Notes the grants, and places those of the parts that are here. */
static void
note_answer(struct stn_parts *array, const struct stn_parts_ask *answer)
{
	uint32_t end = answer->parts + answer->gifts;

	for (uint32_t i = answer->parts; i < end; i++) {
		struct stn_part *part = stn_array_known(array, i);

		stn_fractiling_note(array, i, answer->lowest, answer->next);
		if (part)
			stn_fractiling_place(part);
	}
}

static void
note_answer_time(struct stn_fractiling *state, uint64_t now)
{
	uint64_t took = now - state->asked_ns;

	if (state->asking)
		state->answer_ns =
			state->answer_ns ? (state->answer_ns + took) / 2 : took;
	state->asking = false;
	state->early = false;
}

static void
pass_grant(struct stn_parts *array, struct stn_parts_ask answer, uint32_t to)
{
	stn_node_say(array->service->node, to, STN_PARTS_KIND_NONE, &answer,
		     sizeof(answer));
}

/*
 * A grant is where its tile is (or was), or has been passed on to its heir. The
 * heir hears of it before the parts come. If the heir has moved, the parts
 * follow it, because this node notes the grant, too.
 */
void
stn_fractiling_take(struct stn_parts *array, struct stn_parts_ask answer)
{
	struct stn_fractiling *state = array->scheduling;
	uint32_t set = answer.passed ? answer.next : (uint32_t)answer.left;
	uint64_t now = stn_node_now(array->service->node);

	if (!is_here(array, set)) {
		pass_grant(array, answer, stn_seat_node(array->service, set));
		if (answer.passed)
			note_answer(array, &answer);
		return;
	}
	if (answer.passed || answer.next == answer.left) {
		state->left += answer.gifts;
		note_answer_time(state, now);
	} else {
		answer.passed = true;
		pass_grant(array, answer,
			   stn_seat_node(array->service, answer.next));
	}
	note_answer(array, &answer);
}
