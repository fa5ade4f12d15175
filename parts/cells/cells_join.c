#include "parts/cells/cells_join.h"

#include "node/sleep.h"
#include "parts/array.h"
#include "parts/cells/give.h"
#include "parts/cells/near.h"
#include "parts/cells/plan.h"
#include "parts/cells/plans.h"
#include "parts/ready.h"
#include "parts/scheduler.h"
#include "parts/survive/store.h"

static void
place_part(struct stn_parts *array, uint32_t number)
{
	struct stn_part *part = stn_array_part(array, number);

	if (!part || stn_memory_init(&part->memory, &array->shape, number))
		stn_array_no_memory(array);
	part->version = part->fresh = array->operation.base;
	/* The old parts had their copies, or have missed them. */
	if (part->version >= array->copies.next)
		part->copied = array->copies.next;
	if (part->version >= array->storing.next)
		part->stored = stn_store_short(array->storing.next);
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
	cells->tree_serial = cells->tree_due = cells->next_serial;
	cells->cut = true;
	stn_block_release(cells->briefs);
	cells->briefs = NULL;
	cells->briefs_serial = 0;
}

static void
join(struct stn_parts *array)
{
	const struct stn_operation operation = array->operation;
	const struct stn_pace pace = array->pace;
	uint64_t version = array->version;
	bool revived = array->revived;

	take_tree(array);
	array->service->departure.told = false; /* new parts may come here */
	stn_array_empty(array);
	stn_homes_fini(&array->homes);
	array->homes = (struct stn_homes){ 0 };
	array->operation = operation;
	array->pace = pace;
	array->version = version;
	array->revived = revived;
	array->count = array->cells->tree.parts;
	array->shape.count[2] = array->count;
	array->id.generation = stn_generation_cut(array->id.generation);
	place_all(array);
	stn_plans_thin(array);
	stn_scheduler_created(array);
}

void
stn_cells_start(struct stn_parts *array)
{
	stn_near_begin(array);
	stn_plan_use(array);
	if (array->operation.order.what == STN_CELLS_PLACE)
		stn_give_begin(array);
	if (array->operation.order.what != STN_CELLS_JOIN)
		stn_near_list(array);
	else if (stn_cells_is_cutting(array))
		join(array);
}

/* Whether all plans have come that the root has sent with KNOW. */
static bool
have_come(const struct stn_cells *cells)
{
	const struct stn_plan *plan;
	uint32_t count = 0;

	TAILQ_FOREACH(plan, &cells->plans, link)
	count += plan->header.serial <= cells->plans_last;
	return count >= cells->plans_due;
}

/* The parts were cut by a plan that is here now. */
static void
learn_tree(struct stn_parts *array)
{
	struct stn_cells *cells = array->cells;
	const struct stn_plan *plan = stn_plans_find(cells, cells->tree_due);

	if (!plan)
		return;
	stn_plan_cut(array, plan);
	take_tree(array);
}

/* The briefs of that serial, which belong to the tree. */
static void
learn_briefs(struct stn_parts *array, uint32_t serial)
{
	const struct stn_plan *plan = stn_plans_find(array->cells, serial);

	if (plan)
		stn_plan_briefs(array, plan);
}

void
stn_cells_planned(struct stn_parts *array)
{
	struct stn_cells *cells = array->cells;

	if (!cells->plans_due || !have_come(cells))
		return;
	cells->plans_due = 0;
	stn_node_wake(array->service->node);
	learn_tree(array);
	/* The tree's leaves index tables with an entry for each part. */
	if (cells->tree.parts && cells->tree.parts != array->count)
		stn_node_fail(array->service->node,
			      "the root has sent a plan for cells that does "
			      "not fit their number of parts");
	learn_briefs(array, cells->briefs_due);
	stn_near_begin(array);
	stn_plan_use(array);
}

void
stn_cells_tell(const struct stn_parts *array, struct stn_parts_known *known)
{
	const struct stn_cells *cells = array->cells;
	const struct stn_plan *plan;

	known->cut = cells->tree_due;
	known->briefs =
		array->restoring ? cells->briefs_due : cells->briefs_serial;
	if (array->freed)
		return;
	TAILQ_FOREACH(plan, &cells->plans, link)
	{
		known->plans++;
		known->last_plan = plan->header.serial;
	}
}

void
stn_cells_learn(struct stn_parts *array, const struct stn_parts_known *known,
		const struct stn_home *homes, uint32_t count)
{
	const struct stn_home *last = &homes[count - 1];
	struct stn_cells *cells = array->cells;

	cells->tree_due = known->cut;
	cells->briefs_due = known->briefs;
	cells->plans_due = known->plans;
	cells->plans_last = known->last_plan;
	cells->cut = known->cut;
	if (!count || !last->count ||
	    last->first > UINT32_MAX / 2 - last->count)
		return; /* to be refused */
	array->count = last->first + last->count;
	array->shape.count[2] = array->count;
}

bool
stn_cells_unlearn(struct stn_parts *array)
{
	struct stn_cells *cells = array->cells;

	if (!cells || !cells->plans_due)
		return false;
	cells->plans_due = 0;
	stn_plans_fini(cells);
	stn_array_empty(array);
	stn_array_set_freed(array, false);
	stn_homes_fini(&array->homes);
	array->homes = (struct stn_homes){ 0 };
	return true;
}

void
stn_cells_recount(struct stn_parts *array)
{
	const struct stn_homes *homes = &array->homes;
	struct stn_cells *cells = array->cells;

	array->count = cells->parts;
	if (homes->count)
		array->count = homes->list[homes->count - 1].first +
			       homes->list[homes->count - 1].count;
	cells->tree_due = stn_plans_cut_at(array, array->restored);
	cells->briefs_due = stn_plans_briefs_at(array, array->restored);
}

/* Forgets the state that plans have made. */
static void
forget_state(struct stn_parts *array)
{
	struct stn_cells *cells = array->cells;

	stn_near_end(array);
	stn_cells_drop_arrivals(cells);
	stn_given_unsend(cells);
	stn_octree_fini(&cells->tree);
	stn_octree_fini(&cells->next);
	cells->tree = cells->next = (struct stn_octree){ 0 };
	cells->tree_serial = cells->next_serial = 0;
	stn_block_release(cells->briefs);
	cells->briefs = NULL;
	cells->briefs_serial = 0;
	cells->even = (struct stn_even){ .gift_ns = cells->even.gift_ns };
}

void
stn_cells_return(struct stn_parts *array)
{
	struct stn_cells *cells = array->cells;

	/* Not before: a worker may have needed the shape. */
	array->shape.count[2] = array->count;
	forget_state(array);
	if (!array->nodes) { /* the array is forgotten */
		stn_plans_fini(cells);
		stn_given_fini(cells);
		cells->cut = false;
		cells->result_number = 0;
		return;
	}
	learn_tree(array);
	learn_briefs(array, cells->briefs_due);
}

