#include "parts/cells_join.h"

#include "parts/array.h"
#include "parts/near.h"
#include "parts/ready.h"
#include "parts/scheduler.h"

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
take_tree(struct stn_parts *array)
{
	struct stn_cells *cells = array->cells;
	const struct stn_octree *next = &cells->next;

	stn_octree_fini(&cells->tree);
	if (stn_octree_build(&cells->tree, &next->cube, next->leaves,
			     next->parts))
		stn_array_no_memory(array); /* it was valid before */
	cells->tree_serial = cells->next_serial;
	stn_block_release(cells->briefs);
	cells->briefs = NULL;
}

static void
join(struct stn_parts *array)
{
	const struct stn_operation operation = array->operation;
	const struct stn_pace pace = array->pace;
	uint64_t version = array->version;

	take_tree(array);
	stn_array_empty(array);
	stn_homes_fini(&array->homes);
	array->homes = (struct stn_homes){ 0 };
	array->operation = operation;
	array->pace = pace;
	array->version = version;
	array->count = array->cells->tree.parts;
	array->shape.count[2] = array->count;
	array->id.generation = stn_cells_generation(array->cells);
	place_all(array);
	stn_scheduler_created(array);
}

void
stn_cells_start(struct stn_parts *array)
{
	stn_near_begin(array);
	if (array->operation.order.what == STN_CELLS_JOIN)
		join(array);
	else
		stn_near_list(array);
}

static void
consider(struct stn_part *part, void *arg)
{
	(void)arg;
	stn_part_consider(part);
}

void
stn_cells_planned(struct stn_parts *array)
{
	if (stn_cells_lack_tree(array) &&
	    array->id.generation == stn_cells_generation(array->cells)) {
		take_tree(array);
		stn_near_begin(array);
		stn_near_list(array);
	}
	stn_array_each(array, consider, NULL);
}

void
stn_cells_learn(struct stn_parts *array, const struct stn_home *homes,
		uint32_t count)
{
	const struct stn_home *last = &homes[count - 1];

	if (!count || !last->count ||
	    last->first > UINT32_MAX / 2 - last->count)
		return; /* to be refused */
	array->count = last->first + last->count;
	array->shape.count[2] = array->count;
}
