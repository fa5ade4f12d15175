#include "parts/survive/versions.h"

#include "node/dispatch.h"
#include "parts/array.h"
#include "parts/cells/given.h"
#include "parts/cells/plans.h"
#include "parts/command.h"
#include "parts/survive/copies.h"
#include "parts/survive/store.h"

#define LOOK_AGAIN_NS 50000000ull /* until there is an operation */

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

/* Cells are cut anew from time to time. */
static void
note_parts(struct stn_parts *array)
{
	if (!array->operation.blocks)
		return;
	if (array->version == array->copies.next)
		array->copies.parts = array->count;
	if (array->version == array->storing.next)
		array->storing.parts = array->count;
}

void
stn_versions_begin(struct stn_parts *array)
{
	struct stn_copies *copies = &array->copies;

	note_parts(array);
	if (!copies->wanted)
		return;
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
	struct stn_storing *storing = &array->storing;
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
		.stored_version = storing->next,
		.stored = storing->written,
		.store_missed = storing->missed,
		.store_ns = stn_store_cost(array),
	};

	stn_array_each(array, find_newest, &safe.newest);
	copies->safe = 0;
	copies->count = copies->ns = 0; /* told */
	storing->written = 0;
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

/* On the root: VERSION, with what is known already of the other kind. */
static void
versions_issue(struct stn_parts *array, uint64_t complete, uint64_t next,
	       uint64_t kept, uint64_t stores)
{
	const struct stn_parts_version version = {
		.array = array->id,
		.complete = complete,
		.next = next,
		.kept = kept,
		.stores = stores,
	};

	stn_command_issue(array->service, STN_PARTS_KIND_VERSION, &version,
			  sizeof(version));
}

/* On the root. */
static void
version_announce(struct stn_parts *array, uint64_t complete, uint64_t newest)
{
	struct stn_copies *copies = &array->copies;

	if (complete > copies->complete) {
		array->service->counts.copied_versions++;
		array->service->counts.copied_blocks =
			complete - copies->complete;
	}
	copies->all_safe = 0;
	versions_issue(array, complete, newest + choose_distance(array),
		       array->storing.kept, array->storing.next);
}

/* On the root: version @next is the next one that is written. */
static void
store_announce(struct stn_parts *array, uint64_t kept, uint64_t next)
{
	struct stn_storing *storing = &array->storing;

	storing->all_written = 0;
	storing->most_ns = 0;
	storing->begun_ns = stn_node_now(array->service->node);
	versions_issue(array, array->copies.complete, array->copies.next, kept,
		       next);
}

/* All grids together are to take 1 % of the time. */
static uint64_t
count_stored(const struct stn_parts_service *service)
{
	const struct stn_parts *array;
	uint64_t count = 0;

	SLIST_FOREACH(array, &service->arrays, link)
	count += array->storing.wanted;
	return count;
}

/* On the root: all parts of the version are on disk. */
static void
store_complete(struct stn_parts *array)
{
	struct stn_storing *storing = &array->storing;
	uint64_t pause = storing->most_ns * STN_COPY_SHARE *
			 count_stored(array->service);

	array->service->counts.kept_versions++;
	storing->due_ns = storing->begun_ns +
			  (pause > STN_STORE_NS ? pause : STN_STORE_NS);
	versions_issue(array, array->copies.complete, array->copies.next,
		       storing->next, storing->next);
}

/* How many copies there will be, if version @next has @parts parts of cells. */
static uint64_t
parts_of(const struct stn_parts *array, uint32_t parts)
{
	if (!array->cells)
		return array->count;
	return parts ? parts : UINT64_MAX;
}

/* On the root: a node has told what it has written. */
static void
store_said(struct stn_parts *array, const struct stn_parts_safe *said)
{
	struct stn_storing *storing = &array->storing;

	if (said->store_ns == STN_STORE_FAILED)
		storing->all_failed = true;
	if (said->stored_version != storing->next ||
	    storing->next <= storing->kept || storing->all_failed)
		return;
	if (said->store_ns > storing->most_ns)
		storing->most_ns = said->store_ns;
	storing->all_written += said->stored;
	if (storing->all_written >= parts_of(array, storing->parts))
		store_complete(array);
	else if (said->store_missed)
		store_announce(array, storing->kept,
			       array->copies.newest + least_distance(array));
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
	if (!is_of_root(array))
		return;
	store_said(array, said);
	if (said->version != copies->next || !copies->wanted)
		return;
	copies->all_safe += said->parts;
	/* All parts may return to an older version, without this one. */
	if (stn_copies_promised(array))
		return;
	if (copies->all_safe >= parts_of(array, copies->parts))
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
	stn_store_check(part);
}

void
stn_versions_set(struct stn_parts *array,
		 const struct stn_parts_version *version)
{
	stn_copies_keep(array, version->complete, version->next);
	stn_store_set(array, version->kept, version->stores);
	stn_history_drop(&array->history, version->complete);
	if (array->cells) {
		stn_plans_drop(array, version->complete);
		stn_given_drop(array, version->complete);
	}
	stn_array_each(array, check_part, NULL);
}

void
stn_versions_regroup(struct stn_parts *array)
{
	struct stn_copies *copies = &array->copies;
	struct stn_storing *storing = &array->storing;
	uint64_t newest = array->restoring ? array->restored : copies->newest;

	if (array->freed)
		return;
	if (!array->restoring)
		stn_array_each(array, find_newest, &newest);
	copies->newest = newest;
	if (copies->wanted && copies->next)
		version_announce(array, copies->complete, newest);
	if (storing->wanted && storing->next > storing->kept)
		store_announce(array, storing->kept,
			       newest + least_distance(array));
}

/* On the root: whether a version is to be written, or will have to be. */
static bool
lacks_version(const struct stn_parts *array)
{
	const struct stn_storing *storing = &array->storing;

	return storing->wanted && storing->next <= storing->kept &&
	       !storing->all_failed && !storing->failed && !array->history.got;
}

/* A sweep of cells is one operation of many. */
static bool
is_swept(const struct stn_parts *array)
{
	return array->scheduling && !array->restoring && !array->done &&
	       (array->cells ? array->cells->tree_serial != 0
			     : array->operation.order.what == STN_PARTS_SWEEPS);
}

uint64_t
stn_versions_look_after(struct stn_parts_service *service, uint64_t now)
{
	struct stn_parts *array;
	uint64_t again = STN_FOREVER;

	if (service->node->rank != service->node->members.root)
		return STN_FOREVER;
	SLIST_FOREACH(array, &service->arrays, link)
	{
		uint64_t newest = array->operation.base;

		if (!lacks_version(array))
			continue;
		again = now + LOOK_AGAIN_NS;
		if (!is_swept(array) || now < array->storing.due_ns)
			continue;
		stn_array_each(array, find_newest, &newest);
		newest += least_distance(array);
		/* After a death the parts may be behind what is on disk. */
		if (newest > array->storing.kept)
			store_announce(array, array->storing.kept, newest);
	}
	return again;
}
