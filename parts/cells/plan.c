#include "parts/cells/plan.h"

#include <stdlib.h>
#include <string.h>

#include "node/dispatch.h"
#include "node/membership_tree.h"
#include "parts/array.h"
#include "parts/cells/cells_join.h"
#include "parts/early.h"

/* A plan that leaves this node, or arrives. */
struct passage {
	struct stn_parts *array;
	struct stn_parts_plan header;
	struct stn_block *store;
};

static void
plan_left(void *arg, enum stn_err err)
{
	struct passage *passage = arg;

	(void)err; /* a receiver that has died is told of by a view */
	stn_block_release(passage->store);
	free(passage);
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

static enum stn_err
plan_cut(struct stn_parts *array, const struct stn_parts_plan *header,
	 const struct stn_block *store)
{
	struct stn_cells *cells = array->cells;
	const struct stn_leaf *leaves = (const void *)store->data;
	size_t count = store->bytes / sizeof(leaves[0]);
	struct stn_cube cube = { { header->low[0], header->low[1],
				   header->low[2] },
				 header->width };
	enum stn_err err;

	if (store->bytes % sizeof(leaves[0]) || count > INT32_MAX ||
	    !homes_valid(leaves, count, array->service->node->topology->nodes))
		return STN_MALFORMED;
	stn_octree_fini(&cells->next);
	err = stn_octree_build(&cells->next, &cube, leaves, (uint32_t)count);
	if (err)
		return err;
	cells->next_serial = header->serial;
	note_range(cells, array->service->node->rank);
	free(cells->arrivals);
	cells->arrivals = calloc(cells->end - cells->first + 1ul,
				 sizeof(cells->arrivals[0]));
	return cells->arrivals ? STN_OK : STN_NO_MEMORY;
}

static void
note_plan(struct stn_plan *plan, const struct stn_parts_plan *header,
	  struct stn_block *store)
{
	stn_block_use(store);
	stn_block_release(plan->store);
	*plan = (struct stn_plan){ *header, store };
}

static bool
cuts(const struct stn_parts_plan *header)
{
	return header->what == STN_CELLS_SPLIT ||
	       header->what == STN_CELLS_PLACE;
}

/* No kernel reads briefs while they are replaced: no sweep is under way. */
static enum stn_err
plan_briefs(struct stn_cells *cells, struct stn_block *store)
{
	if (store->bytes != (size_t)cells->tree.count * cells->brief)
		return STN_MALFORMED;
	stn_block_use(store);
	stn_block_release(cells->briefs);
	cells->briefs = store;
	return STN_OK;
}

/* This node has got the plan. After a view plans may come again, or late. */
static enum stn_err
plan_accept(struct stn_parts *array, const struct stn_parts_plan *header,
	    struct stn_block *store)
{
	struct stn_cells *cells = array->cells;
	enum stn_err err = STN_OK;

	if (cuts(header) ? header->serial <= cells->next_serial
			 : header->serial <= cells->plan.header.serial)
		return STN_OK;
	if (cuts(header))
		err = plan_cut(array, header, store);
	else if (header->what == STN_CELLS_COUNT)
		err = check_questions(store);
	else if (header->what == STN_CELLS_BRIEFS)
		err = plan_briefs(cells, store);
	else
		err = STN_MALFORMED;
	if (err == STN_NO_MEMORY)
		stn_array_no_memory(array);
	if (err)
		return err;
	if (cuts(header))
		note_plan(&cells->cut, header, store);
	if (header->serial > cells->plan.header.serial)
		note_plan(&cells->plan, header, store);
	stn_cells_planned(array);
	return STN_OK;
}

/* The plan is here: on the root it is for the present view. */
static enum stn_err
plan_arrive(struct stn_parts *array, struct stn_parts_plan *header,
	    struct stn_block *store)
{
	struct stn_parts_service *service = array->service;

	if (service->node->rank == service->node->members.root)
		header->view = service->view;
	spread_plan(array, header, store);
	return plan_accept(array, header, store);
}

uint32_t
stn_plan_issue(struct stn_parts *array, uint32_t what,
	       const struct stn_cube *cube, struct stn_block *store)
{
	const struct stn_node *node = array->service->node;
	const struct stn_parts_plan *last = &array->cells->plan.header;
	struct stn_parts_plan header = {
		.array = array->id,
		.view = array->service->view,
		.serial = last->serial + 1,
		.since = last->since,
		.what = what,
		.low = { cube->low[0], cube->low[1], cube->low[2] },
		.width = cube->width,
	};

	if (what == STN_CELLS_BRIEFS)
		header.since = array->cells->tree_serial;
	else if (last->what != STN_CELLS_COUNT)
		header.since = header.serial;
	if (node->rank != node->members.root)
		send_plan(array, &header, store, node->members.root);
	else if (plan_arrive(array, &header, store))
		stn_node_fail(array->service->node,
			      "this node has refused its own plan for cells; "
			      "please report that");
	stn_block_release(store);
	return header.serial;
}

static void
plan_landed(void *arg, enum stn_err err)
{
	struct passage *passage = arg;
	struct stn_parts *array = passage->array;

	array->service->under_way--;
	if (!err && !array->freed &&
	    plan_arrive(array, &passage->header, passage->store))
		stn_node_fail(array->service->node,
			      "a node has sent a malformed plan for cells");
	plan_left(passage, STN_OK);
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

static void
send_again(struct stn_parts *array, const struct stn_plan *plan)
{
	struct stn_parts_plan header = plan->header;

	header.view = array->service->view;
	if (plan->store)
		spread_plan(array, &header, plan->store);
}

void
stn_plan_again(struct stn_parts *array)
{
	const struct stn_cells *cells = array->cells;

	send_again(array, &cells->cut);
	if (cells->plan.header.serial != cells->cut.header.serial)
		send_again(array, &cells->plan);
}

bool
stn_plan_is_here(const struct stn_parts *array,
		 const struct stn_parts_operate *order)
{
	return stn_cells_plan_of(order) <= array->cells->plan.header.serial;
}
