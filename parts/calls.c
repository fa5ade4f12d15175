/*
 * calls.c: the calls of <sateen_parts.h>. Each gives a command to all nodes,
 * and waits until they have finished it; meanwhile its worker sweeps parts.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "parts/calls.h"

#include "node/progress.h"
#include "parts/array.h"
#include "parts/command.h"
#include "parts/scheduler.h"
#include "parts/service.h"
#include "parts/sweep.h"
#include "steal/steal.h"
#include "steal/virtual_cost.h"

/* A worker that waits for an operation. */
struct operation_wait {
	struct stn_wait wait; /* first: the functions below cast it */
	struct stn_parts *array;
};

static struct stn_parts_service *
service_of(struct stn_owner *owner)
{
	return stn_node_state(owner->node, &stn_parts_service);
}

static bool
call_over(struct stn_worker *worker, const struct stn_wait *wait)
{
	(void)worker;
	return ((const struct operation_wait *)wait)->array->done;
}

static bool
call_work(struct stn_worker *worker, struct stn_wait *wait)
{
	struct stn_parts *array = ((struct operation_wait *)wait)->array;

	return stn_sweep_work(array->service, worker);
}

static uint64_t
call_seek(struct stn_worker *worker, struct stn_wait *wait)
{
	struct stn_parts *array = ((struct operation_wait *)wait)->array;

	(void)worker;
	return stn_parts_seek(array->service);
}

static bool
call_owed(struct stn_worker *worker, const struct stn_wait *wait)
{
	(void)worker;
	(void)wait;
	return true;
}

/* Gives the command, and blocks until all nodes have finished it. */
static void
command(struct stn_owner *owner, struct stn_parts *array, uint8_t kind,
	const void *header, size_t bytes)
{
	struct operation_wait wait = { { .over = call_over,
					 .work = call_work,
					 .seek = call_seek,
					 .owed = call_owed,
					 .in_sync = true },
				       array };
	struct stn_parts_service *service = service_of(owner);

	stn_computed(owner, 0);
	stn_node_enter(owner->node);
	if (array->calling)
		stn_array_shared(array);
	array->calling = true;
	array->done = false;
	array->finished_parts = 0;
	array->finished_nodes = 0;
	array->result.count = 0;
	stn_command_issue(service, kind, header, bytes);
	stn_node_leave(owner->node);
	stn_worker_wait(owner->worker, &wait.wait);
	stn_node_enter(owner->node);
	array->calling = false;
	stn_node_leave(owner->node);
	stn_computes(owner);
}

static struct stn_parts_operate
operate(const struct stn_parts *array, uint8_t what, uint64_t count)
{
	return (struct stn_parts_operate){
		.array = array->id,
		.number = array->operation.order.number + 1,
		.what = what,
		.sweeps = count,
		.caller = array->service->node->rank,
	};
}

void
stn_calls_operate(struct stn_owner *owner, struct stn_parts *array,
		  uint8_t what, const struct stn_parts_range *range)
{
	struct stn_parts_operate order = operate(array, what, 0);

	if (range) {
		order.argument_bytes = sizeof(*range);
		memcpy(order.arguments, range, sizeof(*range));
	}
	command(owner, array, STN_PARTS_KIND_OPERATE, &order, sizeof(order));
}

struct stn_parts *
stn_parts_create(struct stn_frame *frame, struct stn_grid grid)
{
	struct stn_owner *owner = stn_owner_of(frame->deque);
	struct stn_parts_service *service = service_of(owner);
	const struct stn_node *node = owner->node;
	struct stn_parts_create create = {
		.planes = grid.planes,
		.rows = grid.rows,
		.columns = grid.columns,
		.element = grid.element,
		.number = (uint8_t)grid.number,
		.halo = grid.halo,
		.copies = grid.copies,
		.colours = grid.colours,
		.block = grid.block,
		.part_planes = grid.part_planes,
		.part_rows = grid.part_rows,
		.part_columns = grid.part_columns,
		.star = grid.star,
		.periodic = grid.periodic,
	};
	struct stn_shape shape;
	struct stn_parts *array;
	struct stn_why why;
	uint32_t gone;

	stn_node_enter(owner->node);
	create.array = (struct stn_array_id){ node->rank, service->made++ };
	create.nodes = node->members.begun;
	gone = node->members.begun - node->members.living;
	stn_node_leave(owner->node);
	if (node->topology->reserved)
		stn_node_fail(owner->node,
			      "arrays can't be used in runs that nodes may "
			      "join; leave out --max-nodes");
	if (gone)
		stn_node_fail(owner->node,
			      "arrays can't be made when nodes have died or "
			      "left");
	if (stn_shape_init(&shape, &grid, &why))
		stn_node_fail(owner->node, "%s", why.text);
	/* The array exists before its command, so that it can be waited for. */
	stn_node_enter(owner->node);
	array = stn_array_create(service, &create, &shape);
	service->counts.arrays++;
	stn_node_leave(owner->node);
	if (!array)
		stn_node_fail(owner->node, "out of memory");
	command(owner, array, STN_PARTS_KIND_CREATE, &create, sizeof(create));
	return array;
}

void
stn_calls_check(const struct stn_owner *owner, const struct stn_parts *array)
{
	if (array->freed)
		stn_node_fail(owner->node,
			      "a grid is used after STN_GRID_FREE");
}

static void
run(struct stn_frame *frame, struct stn_parts *array, enum stn_parts_what what,
    uint64_t count, const struct stn_task *task, uint32_t element,
    const void *arguments)
{
	struct stn_owner *owner = stn_owner_of(frame->deque);
	struct stn_parts_operate order = operate(array, (uint8_t)what, count);

	stn_calls_check(owner, array);
	if (element != array->shape.element)
		stn_node_fail(owner->node,
			      "%s is a %s of %" PRIu32 " bytes, but the "
			      "grid's have %" PRIu32,
			      task->name, task->result, element,
			      array->shape.element);
	if (count > INT64_MAX)
		stn_node_fail(owner->node,
			      "a grid can't be swept a negative number of "
			      "times");
	if (!count)
		return;
	order.task_id = stn_table_id(&array->service->program->table, task);
	order.argument_bytes = (uint8_t)task->argument_bytes;
	memcpy(order.arguments, arguments, task->argument_bytes);
	command(owner, array, STN_PARTS_KIND_OPERATE, &order, sizeof(order));
}

void
stn_parts_sweep(struct stn_frame *frame, struct stn_parts *array,
		enum stn_parts_what what, uint64_t count,
		const struct stn_task *task, uint32_t element,
		const void *arguments)
{
	run(frame, array, what, count, task, element, arguments);
}

/* Says once that sums are 0. */
static void
warn_hollow(struct stn_parts_service *service)
{
	if (service->warned)
		return;
	service->warned = true;
	fputs("sateen: sums and maxima are 0 with --cost hollow; a program "
	      "that stops by them stops too early\n",
	      stderr);
}

double
stn_parts_measure(struct stn_frame *frame, struct stn_parts *array,
		  enum stn_parts_what what, uint64_t count,
		  const struct stn_task *task, uint32_t element,
		  const void *arguments)
{
	run(frame, array, what, count, task, element, arguments);
	if (array->shape.hollow)
		warn_hollow(array->service);
	return array->result.count ? array->result.folds[0].value : 0;
}

void
stn_parts_free(struct stn_frame *frame, struct stn_parts *array)
{
	struct stn_owner *owner = stn_owner_of(frame->deque);

	stn_calls_check(owner, array);
	stn_calls_operate(owner, array, STN_PARTS_FREE, NULL);
}

uint64_t
stn_parts_handle(const struct stn_parts *array)
{
	return (uint64_t)array->id.rank << 32 | array->id.number;
}

struct stn_parts *
stn_parts_find(struct stn_frame *frame, uint64_t handle)
{
	struct stn_owner *owner = stn_owner_of(frame->deque);
	struct stn_array_id id = { (uint32_t)(handle >> 32), (uint32_t)handle };
	struct stn_parts *array;

	stn_node_enter(owner->node);
	array = stn_array_find(service_of(owner), id);
	stn_node_leave(owner->node);
	if (!array)
		stn_node_fail(owner->node, "there is no grid with the handle "
			      "%#" PRIx64, handle);
	return array;
}
