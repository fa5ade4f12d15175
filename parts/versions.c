#include "parts/versions.h"

#include "node/dispatch.h"
#include "parts/array.h"
#include "parts/cells/plans.h"
#include "parts/command.h"
#include "parts/copies.h"

static bool
is_of_root(const struct stn_parts *array)
{
	const struct stn_node *node = array->service->node;

	return node->rank == node->members.root;
}

/* The least number of blocks from one version that is copied to the next. */
static uint64_t
least_distance(const struct stn_parts *array)
{
	uint64_t blocks = STN_VERSIONS_SWEEPS / array->shape.block;

	/* A sweep of cells takes longer. */
	if (array->cells)
		return STN_VERSIONS_BLOCKS;
	return blocks > STN_VERSIONS_BLOCKS ? blocks : STN_VERSIONS_BLOCKS;
}

void
stn_versions_begin(struct stn_parts *array)
{
	struct stn_copies *copies = &array->copies;

	if (!copies->wanted)
		return;
	if (array->operation.blocks && array->version == copies->next)
		copies->parts = array->count;
	/* All nodes begin at the same version, so this needs no message. */
	if (array->operation.order.what == STN_PARTS_REFRESH)
		stn_copies_keep(array, copies->complete, array->version);
	else if (array->operation.order.what == STN_CELLS_PLACE)
		stn_copies_keep(array, copies->complete, array->version + 1);
	else if (!copies->next &&
		 array->operation.order.what == STN_PARTS_SWEEPS)
		copies->next = array->operation.base + least_distance(array);
	else
		return;
	copies->all_safe = 0;
}

static void
find_newest(struct stn_part *part, void *arg)
{
	uint64_t *newest = arg;

	if (part->version + part->running > *newest)
		*newest = part->version + part->running;
}

void
stn_versions_report(struct stn_parts *array)
{
	struct stn_copies *copies = &array->copies;
	struct stn_parts_safe safe = {
		.array = array->id,
		.view = array->service->view,
		.parts = copies->safe,
		.missed = copies->missed,
		.version = copies->next,
		.copies = copies->count,
		.copy_ns = copies->ns,
		.turns = array->pace.turns,
		.turn_ns = array->pace.busy_ns,
	};

	stn_array_each(array, find_newest, &safe.newest);
	copies->safe = 0;
	copies->count = copies->ns = 0; /* told */
	if (is_of_root(array))
		stn_versions_said(array, &safe);
	else
		stn_node_say(array->service->node,
			     array->service->node->members.root,
			     STN_PARTS_KIND_SAFE, &safe, sizeof(safe));
}

/* On the root: so many blocks that copying takes 1 % of the time of sweeping.
 */
static uint64_t
choose_distance(const struct stn_parts *array)
{
	const struct stn_copies *copies = &array->copies;
	uint64_t least = least_distance(array);
	double copy, turn, blocks;

	if (!copies->all_count || !copies->all_turns || !copies->all_turn_ns)
		return least;
	copy = (double)copies->all_ns / (double)copies->all_count;
	turn = (double)copies->all_turn_ns / (double)copies->all_turns;
	blocks = copy / turn * STN_COPY_SHARE;
	return blocks > (double)least ? (uint64_t)blocks + 1 : least;
}

/* On the root. */
static void
version_announce(struct stn_parts *array, uint64_t complete, uint64_t newest)
{
	struct stn_copies *copies = &array->copies;
	struct stn_parts_version version = {
		.array = array->id,
		.complete = complete,
		.next = newest + choose_distance(array),
	};

	if (complete > copies->complete) {
		array->service->counts.copied_versions++;
		array->service->counts.copied_blocks =
			complete - copies->complete;
	}
	copies->all_safe = 0;
	stn_command_issue(array->service, STN_PARTS_KIND_VERSION, &version,
			  sizeof(version));
}

/* How many copies there will be. Cells are cut anew from time to time. */
static uint64_t
parts_of_next(const struct stn_parts *array)
{
	if (!array->cells)
		return array->count;
	return array->copies.parts ? array->copies.parts : UINT64_MAX;
}

void
stn_versions_said(struct stn_parts *array, const struct stn_parts_safe *said)
{
	struct stn_copies *copies = &array->copies;

	copies->all_count += said->copies;
	copies->all_ns += said->copy_ns;
	copies->all_turns += said->turns;
	copies->all_turn_ns += said->turn_ns;
	if (said->newest > copies->newest)
		copies->newest = said->newest;
	if (said->version != copies->next || !is_of_root(array))
		return;
	copies->all_safe += said->parts;
	if (copies->all_safe >= parts_of_next(array))
		version_announce(array, copies->next, copies->newest);
	else if (said->missed)
		version_announce(array, copies->complete,
				 copies->newest + least_distance(array));
}

static void
check_part(struct stn_part *part, void *arg)
{
	(void)arg;
	stn_copies_check(part);
}

void
stn_versions_set(struct stn_parts *array,
		 const struct stn_parts_version *version)
{
	stn_copies_keep(array, version->complete, version->next);
	stn_history_drop(&array->history, version->complete);
	if (array->cells)
		stn_plans_drop(array, version->complete);
	stn_array_each(array, check_part, NULL);
}

void
stn_versions_regroup(struct stn_parts *array)
{
	struct stn_copies *copies = &array->copies;
	uint64_t newest = array->restoring ? array->restored : copies->newest;

	if (!copies->wanted || !copies->next || array->freed)
		return;
	if (!array->restoring)
		stn_array_each(array, find_newest, &newest);
	copies->newest = newest;
	version_announce(array, copies->complete, newest);
}
