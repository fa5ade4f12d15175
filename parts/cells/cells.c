#include "parts/cells/cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parts/array.h"
#include "parts/cells/given.h"
#include "parts/cells/plans.h"
#include "parts/cells/sort.h"

struct stn_cells *
stn_cells_begin(const struct stn_parts_create *create)
{
	struct stn_cells *cells = calloc(1, sizeof(*cells));

	if (!cells)
		return NULL;
	cells->records = create->columns - 1; /* see shape.h */
	cells->record = create->element;
	cells->place = create->part_rows;
	cells->most = create->part_columns;
	cells->brief = create->part_planes;
	cells->across = create->block;
	cells->summaries = create->star;
	stn_once_init(&cells->once);
	TAILQ_INIT(&cells->plans);
	SLIST_INIT(&cells->given);
	return cells;
}

void
stn_cells_drop_arrivals(struct stn_cells *cells)
{
	for (uint32_t i = 0; i < cells->end - cells->first; i++)
		while (!SLIST_EMPTY(&cells->arrivals[i].list)) {
			struct stn_rows *rows =
				SLIST_FIRST(&cells->arrivals[i].list);

			SLIST_REMOVE_HEAD(&cells->arrivals[i].list, link);
			stn_block_release(rows->store);
			free(rows);
		}
	free(cells->arrivals);
	cells->arrivals = NULL;
	cells->first = cells->end = 0;
}

void
stn_cells_drop_copied(struct stn_cells *cells)
{
	for (uint32_t i = 0; i < cells->copied_count; i++) {
		stn_block_release(cells->copied[i].block);
		stn_block_release(cells->copied[i].store);
	}
	free(cells->copied);
	cells->copied = NULL;
	cells->copied_count = 0;
	cells->reach = NULL;
}

void
stn_cells_clear(struct stn_cells *cells)
{
	stn_cells_drop_arrivals(cells);
	stn_cells_drop_copied(cells);
	stn_octree_fini(&cells->tree);
	stn_octree_fini(&cells->next);
	stn_plans_fini(cells);
	stn_given_fini(cells);
	stn_block_release(cells->questions);
	stn_block_release(cells->briefs);
	cells->questions = cells->briefs = NULL;
	stn_harvest_fini(&cells->result);
}

void
stn_cells_destroy(struct stn_parts *array)
{
	struct stn_cells *cells = array->cells;

	if (!cells)
		return;
	stn_cells_clear(cells);
	stn_once_fini(&cells->once);
	free(cells);
}

struct stn_cells_part *
stn_cells_of(struct stn_part *part)
{
	if (!part->cells)
		part->cells = calloc(1, sizeof(*part->cells));
	if (!part->cells)
		stn_array_no_memory(part->array);
	return part->cells;
}

void
stn_cells_drop_parcels(struct stn_parcels *parcels)
{
	while (!SLIST_EMPTY(parcels)) {
		struct stn_parcel *parcel = SLIST_FIRST(parcels);

		SLIST_REMOVE_HEAD(parcels, link);
		stn_block_release(parcel->store);
		free(parcel);
	}
}

void
stn_cells_forget(struct stn_part *part)
{
	struct stn_cells_part *known = part->cells;

	if (!known)
		return;
	free(known->keys);
	free(known->order);
	free(known->lists);
	for (uint32_t i = 0; i < known->holds; i++)
		stn_block_release(known->held[i].block);
	free(known->held);
	free(known->askers);
	stn_cells_drop_parcels(&known->parcels);
	free(known);
	part->cells = NULL;
}

void
stn_cells_sort(struct stn_part *part)
{
	const struct stn_cells *cells = part->array->cells;
	const struct stn_parts_plan *plan = &cells->plan;
	const struct stn_block *block = part->memory.block;
	struct stn_cells_part *known = stn_cells_of(part);
	uint64_t count = block->head->count;
	struct stn_cube cube;

	if (known->keys && known->sorted == plan->since)
		return;
	free(known->keys);
	free(known->order);
	known->keys = reallocarray(NULL, count + 1, sizeof(known->keys[0]));
	known->order = reallocarray(NULL, count + 1, sizeof(known->order[0]));
	if (!known->keys || !known->order)
		stn_array_no_memory(part->array);
	memcpy(cube.low, plan->low, sizeof(cube.low));
	cube.width = plan->width;
	for (uint64_t i = 0; i < count; i++) {
		double place[3];

		memcpy(place, block->records + i * cells->record + cells->place,
		       sizeof(place));
		known->keys[i] =
			(struct stn_record_key){ stn_morton(&cube, place),
						 block->indices[i] };
	}
	if (stn_keys_sort(known->keys, known->order, count))
		stn_array_no_memory(part->array);
	known->sorted = plan->since;
}

enum stn_harvests
stn_cells_harvests(const struct stn_parts *array)
{
	if (!array->cells || !array->operation.active)
		return STN_HARVEST_NONE;
	switch (array->operation.order.what) {
	case STN_CELLS_BOX:
		return STN_HARVEST_LOWEST;
	case STN_CELLS_COUNT:
		return STN_HARVEST_SUM;
	case STN_CELLS_GET:
	case STN_PARTS_SUMMARISE:
		return STN_HARVEST_LIST;
	}
	return STN_HARVEST_NONE;
}

/*
 * The lowest coordinates, the highest ones, negated, and -1 if one is no
 * number.
 */
static void
box_around(const struct stn_cells *cells, const struct stn_block *block,
	   double box[8])
{
	for (int i = 0; i < 8; i++)
		box[i] = i < 6 ? HUGE_VAL : 0;
	for (uint64_t i = 0; i < block->head->count; i++) {
		double place[3];

		memcpy(place, block->records + i * cells->record + cells->place,
		       sizeof(place));
		for (int d = 0; d < 3; d++) {
			if (!isfinite(place[d]))
				box[6] = -1;
			box[d] = place[d] < box[d] ? place[d] : box[d];
			box[3 + d] =
				-place[d] < box[3 + d] ? -place[d] : box[3 + d];
		}
	}
}

void
stn_cells_find_box(struct stn_part *part)
{
	uint32_t operation = part->array->operation.order.number;
	struct stn_cells_part *known = stn_cells_of(part);

	if (known->boxed == operation)
		return;
	box_around(part->array->cells, part->memory.block, known->box);
	known->boxed = operation;
}

static enum stn_err
harvest_box(struct stn_part *part, struct stn_harvest *harvest)
{
	stn_cells_find_box(part);
	return stn_harvest_add(harvest, STN_HARVEST_LOWEST, part->cells->box,
			       sizeof(part->cells->box));
}

static enum stn_err
harvest_counts(struct stn_part *part, struct stn_harvest *harvest)
{
	const struct stn_block *store = part->array->cells->questions;
	const struct stn_question *questions = (const void *)store->data;
	size_t count = store->bytes / sizeof(questions[0]);
	const struct stn_question *last = &questions[count - 1];
	size_t bins;

	bins = last->bins + ((size_t)1 << 3 * last->levels);
	stn_cells_sort(part);
	if (!harvest->size && !stn_harvest_grow(harvest, bins * 8))
		return STN_NO_MEMORY;
	if (harvest->size != bins * 8) /* another node's, which came first */
		stn_node_fail(part->array->service->node,
			      "a node has sent malformed counts of cells");
	stn_questions_count(questions, count, part->cells->keys,
			    part->memory.block->head->count,
			    (uint64_t *)(void *)harvest->bytes);
	return STN_OK;
}

/* An entry of a harvest that is a list, with room for @bytes bytes. */
static size_t
entry_bytes(size_t bytes)
{
	return (sizeof(uint64_t) + bytes + STN_HARVEST_UNIT - 1) /
	       STN_HARVEST_UNIT * STN_HARVEST_UNIT;
}

static enum stn_err
harvest_entry(struct stn_harvest *harvest, uint64_t number, const void *from,
	      size_t bytes, size_t room)
{
	unsigned char *entry = stn_harvest_grow(harvest, entry_bytes(room));

	if (!entry)
		return STN_NO_MEMORY;
	memcpy(entry, &number, sizeof(number));
	if (bytes)
		memcpy(entry + sizeof(number), from, bytes);
	return STN_OK;
}

static enum stn_err
harvest_records(const struct stn_part *part, struct stn_harvest *harvest)
{
	const struct stn_cells_order order =
		stn_cells_order(&part->array->operation.order);
	const struct stn_block *block = part->memory.block;
	uint32_t record = part->array->cells->record;
	enum stn_err err = STN_OK;

	for (uint64_t i = 0; !err && i < block->head->count; i++)
		if (block->indices[i] - order.first < order.count)
			err = harvest_entry(harvest, block->indices[i],
					    block->records + i * record, record,
					    record);
	return err;
}

void
stn_cells_harvest(struct stn_part *part)
{
	const struct stn_cells *cells = part->array->cells;
	const struct stn_block *block = part->memory.block;
	size_t summary = block->head->summary_bytes;
	enum stn_err err = STN_OK;

	switch (part->array->operation.order.what) {
	case STN_CELLS_BOX:
		err = harvest_box(part, &part->array->gather.harvest);
		break;
	case STN_CELLS_COUNT:
		err = harvest_counts(part, &part->array->gather.harvest);
		break;
	case STN_CELLS_GET:
		err = harvest_records(part, &part->array->gather.harvest);
		break;
	case STN_PARTS_SUMMARISE:
		err = harvest_entry(&part->array->gather.harvest, part->number,
				    block->summary,
				    summary < cells->brief ? summary
							   : cells->brief,
				    cells->brief);
		break;
	}
	if (err)
		stn_array_no_memory(part->array);
}

bool
stn_cells_is_cutting(const struct stn_parts *array)
{
	return array->cells->next_serial != array->cells->tree_serial;
}

/*
 * Whether the parts have been cut, and this node, which has joined since, doesn't
 * know yet how.
 */
static bool
lacks_tree(const struct stn_parts *array)
{
	return array->cells->tree_due != array->cells->tree_serial;
}

bool
stn_cells_called_here(const struct stn_parts *array)
{
	const struct stn_node *node = array->service->node;
	uint32_t caller = array->operation.order.caller;

	return caller == STN_OF_MAIN ? node->rank == node->members.root
				     : caller - 1 == node->rank;
}

void
stn_cells_keep_result(struct stn_parts *array)
{
	struct stn_cells *cells = array->cells;
	uint32_t number = array->operation.order.number;

	if (!cells || number <= cells->result_number ||
	    !stn_cells_called_here(array))
		return;
	cells->result_number = number;
	stn_harvest_fini(&cells->result);
	cells->result = array->harvested;
	array->harvested = (struct stn_harvest){ 0 };
}

/* A part that has just arrived has no lists for the operation yet. */
static bool
sees_others(const struct stn_part *part)
{
	const struct stn_cells_part *known = part->cells;

	return !part->array->cells->reach ||
	       (known &&
		known->listed == part->array->operation.order.number &&
		!known->missing);
}

bool
stn_cells_ready(const struct stn_part *part)
{
	const struct stn_cells *cells = part->array->cells;
	const struct stn_parts_operate *order = &part->array->operation.order;

	/* A node that has joined may have parts before it has the plans. */
	if (lacks_tree(part->array) || cells->plans_due)
		return false;
	switch (order->what) {
	case STN_CELLS_JOIN:
		return cells->next_serial && part->number >= cells->first &&
		       part->number < cells->end &&
		       cells->arrivals[part->number - cells->first].count ==
			       cells->next.leaves[part->number].count;
	case STN_PARTS_SWEEPS:
		return !part->memory.block->sending && sees_others(part);
	}
	return !part->memory.block->sending;
}
