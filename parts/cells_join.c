#include "parts/cells_join.h"

#include "parts/array.h"
#include "parts/near.h"
#include "parts/scheduler.h"

/* Above all views, so that no generation of an array is used twice. */
#define GENERATIONS 0x80000000u

static void
place_part(struct stn_parts *array, uint32_t number)
{
	struct stn_part *part = stn_array_part(array, number);

	if (!part || stn_memory_init(&part->memory, &array->shape, number))
		stn_array_no_memory(array);
	part->version = part->fresh = array->version;
	part->joining = true;
	stn_part_settle(part);
}

static void
place_all(struct stn_parts *array)
{
	const struct stn_octree *tree = &array->cells->tree;

	for (uint32_t i = 0; i < tree->parts; i++)
		if (stn_homes_add(&array->homes, i, tree->leaves[i].home, 0))
			stn_array_no_memory(array);
	for (uint32_t i = 0; i < tree->parts; i++)
		if (tree->leaves[i].home == array->service->node->rank)
			place_part(array, i);
}

/* The leaves are those of cells->next as well, for the records that arrive. */
static void
take_tree(struct stn_cells *cells)
{
	struct stn_octree *next = &cells->next;

	stn_octree_fini(&cells->tree);
	/* It could be built before. */
	if (stn_octree_build(&cells->tree, &next->cube, next->leaves,
			     next->parts))
		cells->tree.parts = 0;
	stn_block_release(cells->briefs);
	cells->briefs = NULL;
}

static void
join(struct stn_parts *array)
{
	const struct stn_operation operation = array->operation;
	const struct stn_pace pace = array->pace;
	uint64_t version = array->version;

	take_tree(array->cells);
	if (!array->cells->tree.parts)
		stn_array_no_memory(array);
	stn_array_empty(array);
	stn_homes_fini(&array->homes);
	array->homes = (struct stn_homes){ 0 };
	array->operation = operation;
	array->pace = pace;
	array->version = version;
	array->count = array->cells->tree.parts;
	array->shape.count[2] = array->count;
	array->id.generation = GENERATIONS | array->cells->next_serial;
	place_all(array);
	stn_scheduler_created(array);
}

/* On each node: the plan of the operation has the brief summaries. */
static void
take_briefs(struct stn_cells *cells)
{
	stn_block_release(cells->briefs);
	cells->briefs = cells->plan.store;
	stn_block_use(cells->briefs);
}

void
stn_cells_start(struct stn_parts *array)
{
	stn_near_begin(array);
	switch (array->operation.order.what) {
	case STN_CELLS_JOIN:
		join(array);
		break;
	case STN_CELLS_BRIEFS:
		take_briefs(array->cells);
		break;
	default:
		stn_near_list(array);
	}
}
