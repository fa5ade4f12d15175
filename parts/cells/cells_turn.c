#include "parts/cells/cells_turn.h"

#include <stdlib.h>
#include <string.h>

#include "parts/array.h"
#include "parts/cells/near.h"
#include "parts/cells/rows.h"

/* What a kernel's calls need. */
struct stn_cells_inside {
	struct stn_part *part;
	bool roomed; /* it has asked for room for a summary */
};

/* What a kernel sees of others. */
struct sights {
	struct stn_near *near;
	struct stn_far *far;
	long near_count, far_count;
};

void *
stn_cells_room(struct stn_cells_at *at, size_t bytes)
{
	struct stn_part *part = at->inside->part;
	uint32_t brief = part->array->cells->brief;

	if (part->array->operation.order.what != STN_PARTS_SUMMARISE ||
	    at->inside->roomed)
		stn_node_fail(part->array->service->node,
			      "STN_ROOM is for a kernel of STN_SUMMARISE, and "
			      "is used once in it");
	if (stn_block_summarise(part->memory.block,
				bytes < brief ? brief : bytes))
		stn_array_no_memory(part->array);
	at->inside->roomed = true;
	return part->memory.block->summary;
}

const void *
stn_cells_once(struct stn_cells_at *at, uint32_t what,
	       const struct stn_cell *cell, size_t bytes, stn_cells_make *make,
	       const void *argument)
{
	struct stn_parts *array = at->inside->part->array;
	const void *got = stn_once_get(&array->cells->once, what, cell, bytes,
				       make, argument);

	if (!got)
		stn_array_no_memory(array);
	return got;
}

void
stn_cells_turn_begin(struct stn_part *part)
{
	stn_near_hold(part);
}

static void
add_near(const struct stn_cells *cells, struct sights *sights,
	 const struct stn_branch *branch, const struct stn_block *block)
{
	sights->near[sights->near_count++] = (struct stn_near){
		branch->cell,
		branch->part,
		cells->summaries ? NULL : block->records,
		(long)block->head->count,
		block->summary,
		block->head->summary_bytes,
	};
}

static void
add_far(const struct stn_cells *cells, struct sights *sights, uint32_t entry,
	const unsigned char *brief)
{
	const struct stn_octree *tree = &cells->tree;
	const struct stn_branch *branch = &tree->branches[entry];

	if (cells->briefs && !branch->leaf)
		brief = cells->briefs->data +
			(size_t)stn_octree_inner(tree, entry) * cells->brief;
	sights->far[sights->far_count++] =
		(struct stn_far){ branch->cell, brief };
}

static void
see_others(struct stn_part *part, struct sights *sights)
{
	const struct stn_cells *cells = part->array->cells;
	const struct stn_cells_part *known = part->cells;
	uint32_t count = known->holds;

	sights->near = reallocarray(NULL, count + 1ul, sizeof(struct stn_near));
	sights->far = reallocarray(NULL, count + 1ul, sizeof(struct stn_far));
	if (!sights->near || !sights->far)
		stn_array_no_memory(part->array);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t entry = known->lists[i] & ~STN_LISTED_NEAR;
		const struct stn_held *held = &known->held[i];

		if (known->lists[i] & STN_LISTED_NEAR)
			add_near(cells, sights, &cells->tree.branches[entry],
				 held->block);
		else
			add_far(cells, sights, entry, held->brief);
	}
}

static void
run_kernel(struct stn_cells_turn *turn, uint64_t first)
{
	struct stn_part *part = turn->part;
	const struct stn_octree *tree = &part->array->cells->tree;
	const struct stn_block *block = part->memory.block;
	struct stn_cells_inside inside = { part, false };
	struct sights sights = { 0 };
	struct stn_cells_at at = {
		.records = block->records,
		.indices = block->indices,
		.count = (long)block->head->count,
		.first = (long)first,
		.part = (long)part->number,
		.summary = block->summary,
		.summary_bytes = block->head->summary_bytes,
		.inside = &inside,
	};

	if (tree->parts) {
		at.cell = tree->branches[tree->branch_of[part->number]].cell;
		at.whole = tree->branches[0].cell;
	}
	if (part->cells && part->cells->holds)
		see_others(part, &sights);
	at.near = sights.near;
	at.far = sights.far;
	at.near_count = sights.near_count;
	at.far_count = sights.far_count;
	turn->kernel->run(turn->deque, turn->record, NULL, &at);
	turn->work = at.work ? at.work : block->head->count;
	turn->value = at.value;
	if (part->array->operation.order.what == STN_PARTS_SUMMARISE &&
	    !inside.roomed)
		stn_cells_room(&at, part->array->cells->brief);
	free(sights.near);
	free(sights.far);
}

/* Before the first cut, a part has the records of its box, by their indices. */
static void
cells_fill(struct stn_cells_turn *turn)
{
	struct stn_part *part = turn->part;
	const struct stn_cells *cells = part->array->cells;
	struct stn_box box = stn_shape_box(&part->array->shape, part->number);
	uint64_t first = (uint64_t)box.low[2], end = (uint64_t)box.high[2];
	struct stn_block *block;

	end = end < cells->records ? end : cells->records;
	block = stn_block_create(end - first, cells->record);
	if (!block)
		stn_array_no_memory(part->array);
	memset(block->records, 0, (end - first) * cells->record);
	for (uint64_t i = first; i < end; i++)
		block->indices[i - first] = i;
	stn_block_release(part->memory.block);
	part->memory.block = block;
	run_kernel(turn, first);
}

static void
cells_split(struct stn_part *part)
{
	struct stn_cells_part *known = stn_cells_of(part);

	stn_cells_sort(part);
	stn_rows_pack(part->array, known->keys, known->order,
		      part->memory.block->head->count,
		      part->memory.block->records, &known->parcels);
}

void
stn_cells_turn(struct stn_cells_turn *turn)
{
	struct stn_part *part = turn->part;

	turn->work = part->memory.block->head->count;
	switch (part->array->operation.order.what) {
	case STN_PARTS_FILL:
		cells_fill(turn);
		break;
	case STN_CELLS_BOX:
		stn_cells_find_box(part);
		break;
	case STN_CELLS_COUNT:
		stn_cells_sort(part);
		break;
	case STN_CELLS_SPLIT:
		cells_split(part);
		break;
	case STN_CELLS_JOIN:
		stn_rows_unite(part);
		break;
	default:
		if (turn->kernel)
			run_kernel(turn, 0);
	}
}

void
stn_cells_turn_end(struct stn_part *part, uint64_t took_ns)
{
	struct stn_cells_part *known = stn_cells_of(part);
	struct stn_parts *array = part->array;

	stn_near_release(part);
	switch (array->operation.order.what) {
	case STN_PARTS_SWEEPS:
		known->cost_ns = took_ns;
		known->cost_task = array->operation.order.task_id;
		array->cells->even.busy_ns += took_ns;
		array->cells->even.records += part->memory.block->head->count;
		break;
	case STN_CELLS_SPLIT:
		stn_rows_send(array, &known->parcels);
		break;
	case STN_CELLS_JOIN:
		stn_rows_drop(array->cells, part->number);
		part->joining = false;
		break;
	}
}
