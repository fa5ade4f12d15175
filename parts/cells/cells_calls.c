/*
 * cells_calls.c: the calls of <sateen_cells.h>, except those that cut cells.
 * They run on a worker of the caller's node, without a lock.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "node/progress.h"
#include "parts/array.h"
#include "parts/await.h"
#include "parts/calls.h"
#include "parts/cells/cells.h"
#include "parts/cells/cells_calls.h"
#include "parts/cells/plan.h"
#include "parts/cells/plans.h"
#include "parts/survive/again.h"
#include "parts/survive/restore.h"
#include "steal/virtual_cost.h"

#define MOST 4096	       /* records of a part, by default */
#define RECORD_MOST (1u << 24) /* bytes */

static struct stn_node *
node_of_frame(const struct stn_frame *frame)
{
	return stn_owner_of(frame->deque)->node;
}

struct stn_parts *
stn_cells_create(struct stn_frame *frame, struct stn_cells_options options)
{
	struct stn_grid grid = {
		.rows = 1,
		.columns = options.records + 1,
		.element = options.record,
		.number = STN_SHAPE_CELLS,
		.copies = 1,
		.block = options.across,
		.part_planes = options.brief,
		.part_rows = options.place,
		.part_columns = options.most ? options.most : MOST,
		.star = options.summaries,
	};

	if (options.record > RECORD_MOST)
		stn_node_fail(node_of_frame(frame),
			      "records of cells have at most %u bytes",
			      RECORD_MOST);
	return stn_parts_create(frame, grid);
}

void
stn_cells_check(const struct stn_frame *frame, const struct stn_parts *array,
		uint32_t record)
{
	stn_calls_check(frame, array);
	if (!array->cells)
		stn_node_fail(node_of_frame(frame),
			      "a grid is used as an array of cells");
	if (record && record != array->cells->record)
		stn_node_fail(node_of_frame(frame),
			      "a call is for records of %" PRIu32
			      " bytes, but those of the cells have %" PRIu32,
			      record, array->cells->record);
}

static bool
is_cut(const struct stn_parts *array)
{
	struct stn_node *node = array->service->node;
	bool cut;

	stn_node_enter(node);
	cut = array->cells->cut;
	stn_node_leave(node);
	return cut;
}

/* Before the first STN_CELLS_FILL or STN_CELLS_PUT there are no records. */
static void
check_cut(const struct stn_frame *frame, const struct stn_parts *array)
{
	if (!is_cut(array))
		stn_node_fail(node_of_frame(frame),
			      "cells are used before STN_CELLS_FILL or "
			      "STN_CELLS_PUT");
}

bool
stn_cells_pass(struct stn_frame *frame, struct stn_parts *array, uint8_t what,
	       const struct stn_cells_order *argument)
{
	struct stn_owner *owner = stn_owner_of(frame->deque);
	struct stn_parts_operate order = { .what = what };
	const struct stn_history *history = &array->history;
	bool passes;

	if (!stn_calls_repeated(frame, array, 1))
		return false;
	if (argument)
		memcpy(order.arguments, argument, sizeof(*argument));
	stn_computed(owner, 0);
	stn_await_finished(owner, array);
	passes = array->called < history->count &&
		 history->calls[array->called].hash == stn_call_hash(&order);
	array->called += passes;
	stn_again_clock(array->service);
	stn_node_leave(owner->node);
	stn_computes(owner);
	return passes;
}

void
stn_cells_hold(struct stn_frame *frame, struct stn_parts *array)
{
	struct stn_owner *owner = stn_owner_of(frame->deque);

	stn_computed(owner, 0);
	stn_await_finished(owner, array);
	array->running++;
	stn_node_leave(owner->node);
	stn_computes(owner);
}

void
stn_cells_let_go(struct stn_frame *frame, struct stn_parts *array)
{
	struct stn_owner *owner = stn_owner_of(frame->deque);

	stn_computed(owner, 0);
	stn_node_enter(owner->node);
	array->running--;
	if (array->restoring)
		stn_restore_begin(array);
	stn_node_leave(owner->node);
	stn_computes(owner);
}

void
stn_cells_operate(struct stn_frame *frame, struct stn_parts *array,
		  uint8_t what, struct stn_cells_order argument)
{
	struct stn_parts_operate order = { .what = what,
					   .argument_bytes = sizeof(argument) };

	memcpy(order.arguments, &argument, sizeof(argument));
	stn_calls_call(frame, array, &order);
}

/*
 * Waits until a new plan can be numbered. Of the nodes other than the root, only
 * an operation's caller learns that all nodes have finished it. Returns with the
 * net lock held.
 */
static void
await_plans(struct stn_owner *owner, struct stn_parts *array)
{
	const struct stn_node *node = owner->node;

	stn_await_planned(owner, array);
	if (node->rank != node->members.root)
		return;
	stn_node_leave(owner->node);
	stn_await_finished(owner, array);
}

uint32_t
stn_cells_issue(struct stn_frame *frame, struct stn_parts *array, uint8_t what,
		const struct stn_cube *cube, const void *payload, size_t bytes)
{
	struct stn_owner *owner = stn_owner_of(frame->deque);
	struct stn_block *store = stn_block_landing(bytes);
	uint32_t serial;

	if (!store)
		stn_array_no_memory(array);
	memcpy(store->data, payload, bytes);
	stn_computed(owner, 0);
	await_plans(owner, array);
	serial = stn_plan_issue(array, what, cube, store);
	stn_node_leave(owner->node);
	stn_computes(owner);
	return serial;
}

uint32_t
stn_cells_plan(struct stn_frame *frame, struct stn_parts *array, uint8_t what,
	       const struct stn_cube *cube, const void *payload, size_t bytes)
{
	struct stn_cells_order argument = { 0 };

	argument.plan =
		stn_cells_issue(frame, array, what, cube, payload, bytes);
	stn_cells_operate(frame, array, what, argument);
	return argument.plan;
}

/* The second task of an operation, behind the arguments of the first one. */
static void
set_other(struct stn_frame *frame, const struct stn_parts *array,
	  struct stn_parts_operate *order, const struct stn_task *task,
	  const struct stn_task *other)
{
	const char *needs = order->what == STN_PARTS_SUMMARISE
				    ? "combination of cells"
				    : "reach of cells";
	const struct stn_plan *last = stn_plans_last(array->cells);
	uint32_t id = last ? last->header.serial : 0;

	memcpy(order->arguments + STN_CELLS_PLAN_AT, &id, sizeof(id));
	if (!other)
		return;
	if (strcmp(other->result, needs))
		stn_node_fail(node_of_frame(frame), "%s is no %s", other->name,
			      needs);
	if (other->argument_bytes != task->argument_bytes)
		stn_node_fail(node_of_frame(frame),
			      "%s and %s must have the same arguments",
			      other->name, task->name);
	id = 1 + stn_table_id(&array->service->program->table, other);
	memcpy(order->arguments + STN_CELLS_OTHER_AT, &id, sizeof(id));
}

static void combine_all(struct stn_frame *frame, struct stn_parts *array,
			const struct stn_task *combine, const void *arguments);

double
stn_cells_run(struct stn_frame *frame, struct stn_parts *array,
	      enum stn_parts_what what, const struct stn_task *task,
	      const struct stn_task *other, uint32_t record,
	      const void *arguments)
{
	struct stn_parts_operate order = { .what = (uint8_t)what, .sweeps = 1 };
	double value;

	stn_cells_check(frame, array, record);
	if (what != STN_PARTS_FILL)
		check_cut(frame, array);
	else if (is_cut(array) && !stn_calls_repeated(frame, array, 1))
		stn_node_fail(node_of_frame(frame), "cells are filled twice");
	stn_calls_set_kernel(&order, array, task, arguments);
	set_other(frame, array, &order, task, other);
	value = stn_calls_call(frame, array, &order);
	if (what == STN_PARTS_SUMMARISE &&
	    !stn_cells_pass(frame, array, STN_CELLS_BRIEFS, NULL))
		combine_all(frame, array, other, arguments);
	return value;
}

/* Copies the briefs of all parts to their places among those of the branches.
 */
static void
place_briefs(const struct stn_parts *array, unsigned char *briefs)
{
	const struct stn_cells *cells = array->cells;
	const struct stn_octree *tree = &cells->tree;
	size_t unit = STN_HARVEST_UNIT;
	size_t entry = (8 + cells->brief + unit - 1) / unit * unit;
	const unsigned char *from = cells->result.bytes;

	for (size_t i = 0; i < cells->result.size / entry; i++) {
		uint64_t part;

		memcpy(&part, from + i * entry, sizeof(part));
		if (part < tree->parts)
			memcpy(briefs + (size_t)tree->branch_of[part] *
						cells->brief,
			       from + i * entry + sizeof(part), cells->brief);
	}
}

/* The children of a branch. Returns their number. */
static long
list_children(const struct stn_cells *cells, const unsigned char *briefs,
	      uint32_t branch, struct stn_far children[8])
{
	const struct stn_octree *tree = &cells->tree;
	uint32_t i = branch + 1;
	long count = 0;

	while (i < tree->branches[branch].next && count < 8) {
		children[count++] =
			(struct stn_far){ tree->branches[i].cell,
					  briefs + (size_t)i * cells->brief };
		i = tree->branches[i].next;
	}
	return count;
}

/* Keeps those of branches with children: the others stay with their parts. */
static size_t
pack_briefs(const struct stn_cells *cells, unsigned char *briefs)
{
	const struct stn_octree *tree = &cells->tree;
	size_t bytes = 0;

	for (uint32_t i = 0; i < tree->count; i++) {
		if (tree->branches[i].leaf)
			continue;
		memmove(briefs + bytes, briefs + (size_t)i * cells->brief,
			cells->brief);
		bytes += cells->brief;
	}
	return bytes;
}

/* From the deepest branches up: a branch comes before its descendants. */
static void
combine_all(struct stn_frame *frame, struct stn_parts *array,
	    const struct stn_task *combine, const void *arguments)
{
	const struct stn_cells *cells = array->cells;
	const struct stn_octree *tree = &cells->tree;
	struct stn_record record;
	struct stn_far children[8];
	struct stn_cube cube;
	unsigned char *briefs;
	size_t bytes;

	stn_cells_hold(frame, array);
	briefs = calloc(1, (size_t)tree->count * cells->brief + 1);
	if (!briefs)
		stn_array_no_memory(array);
	memcpy(record.arguments, arguments, combine->argument_bytes);
	place_briefs(array, briefs);
	for (uint32_t i = tree->count; i--;) {
		struct stn_combine_at at = {
			.cell = tree->branches[i].cell,
			.child = children,
			.brief = briefs + (size_t)i * cells->brief,
		};

		if (tree->branches[i].leaf)
			continue;
		at.count = list_children(cells, briefs, i, children);
		combine->run(frame->deque, &record, NULL, &at);
		frame->deque->work += at.work ? at.work : (uint64_t)at.count;
	}
	cube = tree->cube;
	bytes = pack_briefs(cells, briefs);
	stn_cells_let_go(frame, array);
	stn_cells_plan(frame, array, STN_CELLS_BRIEFS, &cube, briefs, bytes);
	free(briefs);
}

void
stn_cells_get(struct stn_frame *frame, struct stn_parts *array, uint64_t first,
	      uint64_t count, uint32_t record, void *to)
{
	const struct stn_cells_order argument = { .first = first,
						  .count = count };
	size_t unit = STN_HARVEST_UNIT, entry;
	unsigned char *place = to;

	stn_cells_check(frame, array, record);
	check_cut(frame, array);
	if (first > array->cells->records ||
	    count > array->cells->records - first)
		stn_node_fail(node_of_frame(frame),
			      "there are no %" PRIu64 " records of cells from "
			      "%" PRIu64 " on",
			      count, first);
	stn_cells_operate(frame, array, STN_CELLS_GET, argument);
	entry = (8 + record + unit - 1) / unit * unit;
	array->got = true;
	for (size_t i = 0; i < array->cells->result.size / entry; i++) {
		const unsigned char *from =
			array->cells->result.bytes + i * entry;
		uint64_t index;

		memcpy(&index, from, sizeof(index));
		if (index - first < count)
			memcpy(place + (index - first) * record,
			       from + sizeof(index), record);
	}
}
