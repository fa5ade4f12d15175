#include "parts/cells/plan.h"

#include <stdlib.h>
#include <string.h>
#include <string.h>

#include "node/dispatch.h"
#include "node/membership_tree.h"
#include "parts/array.h"
#include "parts/cells/cells_homes.h"
#include "parts/cells/cells_join.h"
#include "parts/cells/plans.h"
#include "parts/early.h"

/* A plan that leaves this node, or arrives. */
struct passage {
	struct stn_parts *array;
	struct stn_parts_plan header;
	struct stn_block *store;
};

static void
end_plan(struct passage *passage)
{
	stn_block_release(passage->store);
	free(passage);
}

static void
plan_must_arrive(const struct passage *passage, enum stn_err err)
{
	stn_node_must_arrive(passage->array->service->node, "a plan for cells",
			     err);
}

static void
plan_left(void *arg, enum stn_err err)
{
	plan_must_arrive(arg, err);
	end_plan(arg);
}

static struct passage *
begin_plan(struct stn_parts *array, const struct stn_parts_plan *header,
	   struct stn_block *store)
{
	struct passage *passage = malloc(sizeof(*passage));

	if (!passage)
		stn_array_no_memory(array);
	*passage = (struct passage){ array, *header, store };
	return passage;
}

static void
send_plan(struct stn_parts *array, const struct stn_parts_plan *header,
	  struct stn_block *store, uint32_t to)
{
	struct passage *passage = begin_plan(array, header, store);
	struct iovec piece = { store->data, store->bytes };

	stn_block_use(store);
	stn_node_send(array->service->node, to, STN_PARTS_KIND_PLAN,
		      &passage->header, sizeof(passage->header), &piece, 1,
		      plan_left, passage);
}

static void
spread_plan(struct stn_parts *array, const struct stn_parts_plan *header,
	    struct stn_block *store)
{
	const struct stn_node *node = array->service->node;
	uint32_t children[STN_MEMBERSHIP_CHILDREN];
	uint32_t count = stn_membership_children(&node->members, node->rank,
						 node->cluster, children);

	for (uint32_t i = 0; i < count; i++)
		send_plan(array, header, store, children[i]);
}

static enum stn_err
check_questions(const struct stn_block *store)
{
	const struct stn_question *questions = (const void *)store->data;
	size_t count = store->bytes / sizeof(questions[0]);
	size_t bins = 0;

	if (!count || store->bytes % sizeof(questions[0]))
		return STN_MALFORMED;
	if (questions[count - 1].levels < 8)
		bins = questions[count - 1].bins +
		       ((size_t)1 << 3 * questions[count - 1].levels);
	return stn_questions_valid(questions, count, bins) ? STN_OK
							   : STN_MALFORMED;
}

/* The range of parts that has all of this node. */
static void
note_range(struct stn_cells *cells, uint32_t rank)
{
	cells->first = cells->end = 0;
	for (uint32_t i = 0; i < cells->next.parts; i++) {
		if (cells->next.leaves[i].home != rank)
			continue;
		if (!cells->end)
			cells->first = i;
		cells->end = i + 1;
	}
}

/* The leaves of each resident set are a run, in the order of the sets. */
static bool
homes_valid(const struct stn_leaf *leaves, size_t count, uint32_t nodes)
{
	for (size_t i = 0; i < count; i++)
		if (leaves[i].home >= nodes || leaves[i].set >= nodes ||
		    (i && leaves[i].set < leaves[i - 1].set))
			return false;
	return true;
}

static _Noreturn void
fail_plan(const struct stn_parts *array)
{
	stn_node_fail(array->service->node,
		      "a node has sent a malformed plan for cells");
}

static struct stn_octree
build_next(const struct stn_parts *array, const struct stn_plan *plan)
{
	const struct stn_leaf *leaves = (const void *)plan->store->data;
	size_t count = plan->store->bytes / sizeof(leaves[0]);
	const double *low = plan->header.low;
	const struct stn_cube cube = { { low[0], low[1], low[2] },
				       plan->header.width };
	struct stn_octree tree = { 0 };
	enum stn_err err;

	if (plan->store->bytes % sizeof(leaves[0]) || count > INT32_MAX ||
	    !homes_valid(leaves, count, array->service->node->topology->nodes))
		fail_plan(array);
	err = stn_octree_build(&tree, &cube, leaves, (uint32_t)count);
	if (err == STN_NO_MEMORY)
		stn_array_no_memory(array);
	if (err)
		fail_plan(array);
	return tree;
}

void
stn_plan_cut(struct stn_parts *array, const struct stn_plan *plan)
{
	struct stn_cells *cells = array->cells;

	stn_cells_drop_arrivals(cells);
	stn_octree_fini(&cells->next);
	cells->next = build_next(array, plan);
	cells->plan = plan->header;
	cells->next_serial = plan->header.serial;
	note_range(cells, array->service->node->rank);
	cells->arrivals = calloc(cells->end - cells->first + 1ul,
				 sizeof(cells->arrivals[0]));
	if (!cells->arrivals)
		stn_array_no_memory(array);
}

static void
take_questions(const struct stn_parts *array, const struct stn_plan *plan)
{
	struct stn_cells *cells = array->cells;

	if (check_questions(plan->store))
		fail_plan(array);
	cells->plan = plan->header;
	stn_block_use(plan->store);
	stn_block_release(cells->questions);
	cells->questions = plan->store;
}

/* No kernel reads briefs while they are replaced: no sweep is under way. */
void
stn_plan_briefs(struct stn_parts *array, const struct stn_plan *plan)
{
	struct stn_cells *cells = array->cells;

	if (plan->header.since != cells->tree_serial ||
	    plan->header.serial == cells->briefs_serial)
		return;
	if (plan->store->bytes !=
	    (size_t)stn_octree_inners(&cells->tree) * cells->brief)
		fail_plan(array);
	stn_block_use(plan->store);
	stn_block_release(cells->briefs);
	cells->briefs = plan->store;
	cells->briefs_serial = plan->header.serial;
}

void
stn_plan_use(struct stn_parts *array)
{
	const struct stn_parts_operate *order = &array->operation.order;
	const struct stn_plan *plan =
		stn_plans_find(array->cells, stn_cells_plan_of(order));

	if (!plan)
		return;
	if (order->what == STN_CELLS_COUNT)
		take_questions(array, plan);
	else if (order->what == STN_CELLS_SPLIT ||
		 order->what == STN_CELLS_PLACE)
		stn_plan_cut(array, plan);
	else if (plan->header.what == STN_CELLS_BRIEFS)
		stn_plan_briefs(array, plan);
	stn_plans_thin(array);
}

/* A new plan, behind all others. */
static struct stn_parts_plan
next_plan(const struct stn_parts *array, uint32_t what,
	  const struct stn_cube *cube)
{
	const struct stn_plan *last = stn_plans_last(array->cells);
	struct stn_parts_plan header = {
		.array = array->id,
		.view = array->service->view,
		.serial = 1,
		.since = 1,
		.what = what,
		.low = { cube->low[0], cube->low[1], cube->low[2] },
		.width = cube->width,
	};

	if (last)
		header.serial = header.since = last->header.serial + 1;
	if (what == STN_CELLS_BRIEFS)
		header.since = array->cells->tree_serial;
	else if (last && last->header.what == STN_CELLS_COUNT)
		header.since = last->header.since;
	return header;
}

static bool
is_on_root(const struct stn_parts *array)
{
	const struct stn_node *node = array->service->node;

	return node->rank == node->members.root;
}

static void
keep_plan(struct stn_parts *array, const struct stn_parts_plan *header,
	  struct stn_block *store)
{
	if (!stn_plans_add(array->cells, header, store))
		stn_array_no_memory(array);
	stn_cells_planned(array);
}

uint32_t
stn_plan_issue(struct stn_parts *array, uint32_t what,
	       const struct stn_cube *cube, struct stn_block *store)
{
	const struct stn_parts_plan header = next_plan(array, what, cube);
	struct stn_cells *cells = array->cells;

	if (is_on_root(array)) {
		keep_plan(array, &header, store);
	} else {
		stn_plan_destroy(cells->issued);
		cells->issued = stn_plan_create(&header, store);
		if (!cells->issued)
			stn_array_no_memory(array);
		stn_plan_resend(array);
	}
	stn_block_release(store);
	return header.serial;
}

void
stn_plan_resend(struct stn_parts *array)
{
	const struct stn_plan *issued = array->cells->issued;

	if (!issued)
		return;
	if (is_on_root(array))
		keep_plan(array, &issued->header, issued->store);
	else
		send_plan(array, &issued->header, issued->store,
			  array->service->node->members.root);
}

/* Whether all homes of a cut are nodes that stay. */
static bool
homes_stay(const struct stn_parts *array, const struct stn_plan *plan)
{
	const struct stn_leaf *leaves = (const void *)plan->store->data;

	for (size_t i = 0; i < plan->store->bytes / sizeof(leaves[0]); i++)
		if (!stn_members_stays(&array->service->node->members,
				       leaves[i].home))
			return false;
	return true;
}

/* Others may use the former memory. */
static void
revise(struct stn_parts *array, struct stn_plan *plan)
{
	struct stn_block *store = stn_block_landing(plan->store->bytes);

	if (!store)
		stn_array_no_memory(array);
	memcpy(store->data, plan->store->data, store->bytes);
	stn_cells_choose_homes(
		array, (struct stn_leaf *)(void *)store->data,
		(uint32_t)(store->bytes / sizeof(struct stn_leaf)),
		array->cells->records);
	stn_block_release(plan->store);
	plan->store = store;
	plan->header.revised = array->service->view;
	plan->spread = 0;
}

/* A cut: its plan may have been made long ago. */
static void
provide_cut(struct stn_parts *array, struct stn_parts_operate *order,
	      struct stn_plan *plan)
{
	struct stn_cells_order argument = stn_cells_order(order);

	/* It doesn't begin, but is sent once more. */
	if (order->number <= array->operation.order.number)
		return;
	if (!homes_stay(array, plan))
		revise(array, plan);
	argument.revised = plan->header.revised;
	memcpy(order->arguments, &argument, sizeof(argument));
}

void
stn_plan_provide(struct stn_parts *array, struct stn_parts_operate *order)
{
	uint32_t serial = stn_cells_plan_of(order);
	uint32_t mark = array->service->view + 1;
	struct stn_plan *plan = stn_plans_find(array->cells, serial);

	if (serial && !plan)
		stn_node_fail(array->service->node,
			      "all copies of a part of an array of cells are "
			      "lost, and there have been too many operations "
			      "to begin again; use more nodes or clusters");
	if (!plan)
		return;
	if (order->what == STN_CELLS_SPLIT || order->what == STN_CELLS_PLACE)
		provide_cut(array, order, plan);
	if (plan->spread == mark)
		return;
	plan->spread = mark;
	plan->header.view = array->service->view;
	spread_plan(array, &plan->header, plan->store);
}

/*
 * A plan has come. The root sends it on with the operation that needs it; of
 * plans for a view that is over, the root sends those that are still needed.
 */
static void
plan_arrive(struct stn_parts *array, const struct stn_parts_plan *header,
	    struct stn_block *store)
{
	if (!is_on_root(array)) {
		if (header->view != array->service->view)
			return;
		spread_plan(array, header, store);
	}
	keep_plan(array, header, store);
}

static void
plan_landed(void *arg, enum stn_err err)
{
	struct passage *passage = arg;
	struct stn_parts *array = passage->array;

	plan_must_arrive(passage, err);
	array->service->under_way--;
	if (!err && !array->freed)
		plan_arrive(array, &passage->header, passage->store);
	end_plan(passage);
	if (!err)
		stn_early_retry(array->service);
}

enum stn_err
stn_plan_take(struct stn_parts *array, const struct stn_message *message,
	      const struct stn_parts_plan *header)
{
	struct stn_block *store = stn_block_landing(message->payload_bytes);
	struct passage *passage;
	struct iovec piece;

	if (!store)
		stn_array_no_memory(array);
	passage = begin_plan(array, header, store);
	piece = (struct iovec){ store->data, store->bytes };
	array->service->under_way++;
	if (store->bytes)
		stn_early_take(array->service, message, &piece, 1, plan_landed,
			       passage);
	else
		plan_landed(passage, STN_OK);
	return STN_OK;
}

void
stn_plan_teach(struct stn_parts *array, uint32_t to)
{
	struct stn_plan *plan;

	TAILQ_FOREACH(plan, &array->cells->plans, link)
	{
		plan->header.view = array->service->view;
		send_plan(array, &plan->header, plan->store, to);
	}
}

bool
stn_plan_is_here(const struct stn_parts *array,
		 const struct stn_parts_operate *order)
{
	const struct stn_cells_order argument = stn_cells_order(order);
	const struct stn_plan *plan =
		stn_plans_find(array->cells, stn_cells_plan_of(order));

	if (!plan)
		return !stn_cells_plan_of(order);
	return (order->what != STN_CELLS_SPLIT &&
		order->what != STN_CELLS_PLACE) ||
	       plan->header.revised == argument.revised;
}
