/*
 * calls.c: the calls of <sateen_parts.h>. Each gives a command to all nodes,
 * and waits until they have finished it; meanwhile its worker sweeps parts.
 */
#include <inttypes.h>
#include <string.h>

#include "node/progress.h"
#include "parts/array.h"
#include "parts/command.h"
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

/*
 * Blocks until all nodes have finished the array's current operation. A death may
 * undo that as long as the net lock is free, so the caller gets it.
 */
static void
await_done(struct stn_owner *owner, struct stn_parts *array)
{
	struct operation_wait wait = { { .over = call_over,
					 .work = call_work,
					 .seek = call_seek,
					 .owed = call_owed,
					 .in_sync = true },
				       array };

	stn_node_enter(owner->node);
	while (!array->done) {
		stn_node_leave(owner->node);
		stn_worker_wait(owner->worker, &wait.wait);
		stn_node_enter(owner->node);
	}
}

static _Noreturn void
fail_differs(struct stn_owner *owner, const char *what)
{
	stn_node_fail(owner->node,
		      "the body of STN_MAIN, which runs again because a node "
		      "has died, does not %s as before; it must depend on its "
		      "arguments and input only",
		      what);
}

static struct stn_parts_create
describe_create(const struct stn_grid *grid)
{
	return (struct stn_parts_create){
		.planes = grid->planes,
		.rows = grid->rows,
		.columns = grid->columns,
		.element = grid->element,
		.halo = grid->halo,
		.copies = grid->copies,
		.colours = grid->colours,
		.block = grid->block,
		.part_planes = grid->part_planes,
		.part_rows = grid->part_rows,
		.part_columns = grid->part_columns,
		.star = grid->star,
		.periodic = grid->periodic,
	};
}

/* The root's arrays are those of main. Net lock held. */
static struct stn_array_id
next_id(struct stn_parts_service *service)
{
	const struct stn_node *node = service->node;

	return (struct stn_array_id){
		node->rank == node->members.root ? 0 : node->rank,
		service->made++, service->view
	};
}

/* Whether the array that main makes has been made by main on the last root. */
static bool
was_made(struct stn_owner *owner, const struct stn_parts *array,
	 const struct stn_parts_create *create)
{
	struct stn_parts_create made;

	if (!array || (!array->scheduling && !array->restoring))
		return false;
	made = array->create;
	made.array = create->array;
	made.view = create->view;
	made.nodes = create->nodes;
	made.copied = create->copied;
	if (memcmp(&made, create, sizeof(made)))
		fail_differs(owner, "make the same grids");
	return true;
}

struct stn_parts *
stn_parts_create(struct stn_frame *frame, struct stn_grid grid)
{
	struct stn_owner *owner = stn_owner_of(frame->deque);
	struct stn_parts_service *service = service_of(owner);
	struct stn_parts_create create = describe_create(&grid);
	struct stn_parts *array;
	struct stn_shape shape;
	struct stn_why why;

	if (stn_shape_init(&shape, &grid, &why))
		stn_node_fail(owner->node, "%s", why.text);
	stn_computed(owner, 0);
	stn_node_enter(owner->node);
	create.array = next_id(service);
	create.copied = owner->node->start.host.suspect &&
			stn_array_can_copy(owner->node, &shape);
	array = stn_array_find(service, create.array);
	if (!was_made(owner, array, &create)) {
		/* The array exists before its command: it is waited for. */
		if (!array)
			array = stn_array_create(service, &create, &shape);
		if (!array)
			stn_node_fail(owner->node, "out of memory");
		array->create = create;
		array->copies.wanted = create.copied;
		array->shape = shape;
		array->count = stn_shape_parts(&shape);
		array->done = false;
		stn_command_issue(service, STN_PARTS_KIND_CREATE, &create,
				  sizeof(create));
	}
	array->called = 0;
	stn_node_leave(owner->node);
	await_done(owner, array);
	stn_node_leave(owner->node);
	stn_computes(owner);
	return array;
}

/* A call whose operation a former run of main has called: returns its result. */
static double
call_again(struct stn_owner *owner, struct stn_parts *array,
	   const struct stn_parts_operate *order)
{
	const struct stn_call *call = &array->history.calls[order->number - 1];

	if (call->hash != stn_call_hash(order))
		fail_differs(owner, "sweep and measure its grids");
	if (order->number == array->history.count) {
		stn_node_leave(owner->node);
		await_done(owner, array);
		call = &array->history.calls[order->number - 1];
	}
	return call->result;
}

/* Carries the operation out on all nodes. Returns the result of a measure. */
static double
call(struct stn_owner *owner, struct stn_parts *array,
     struct stn_parts_operate *order)
{
	double result;

	stn_computed(owner, 0);
	await_done(owner, array);
	order->number = ++array->called;
	order->array = array->id;
	if (order->number > array->history.count) {
		array->done = false;
		array->result.count = 0;
		stn_command_operate(array, order);
		stn_node_leave(owner->node);
		await_done(owner, array);
		result = array->result.count ? array->result.folds[0].value : 0;
	} else {
		result = call_again(owner, array, order);
	}
	stn_node_leave(owner->node);
	stn_computes(owner);
	return result;
}

static double
run(struct stn_frame *frame, struct stn_parts *array, enum stn_parts_what what,
    uint64_t count, const struct stn_task *task, uint32_t element,
    const void *arguments)
{
	struct stn_owner *owner = stn_owner_of(frame->deque);
	struct stn_parts_operate order = { .what = (uint8_t)what,
					   .sweeps = count };

	if (array->closed)
		stn_node_fail(owner->node,
			      "a grid is used after STN_GRID_FREE");
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
		return 0;
	order.task_id = stn_table_id(&array->service->program->table, task);
	order.argument_bytes = (uint8_t)task->argument_bytes;
	memcpy(order.arguments, arguments, task->argument_bytes);
	return call(owner, array, &order);
}

void
stn_parts_sweep(struct stn_frame *frame, struct stn_parts *array,
		enum stn_parts_what what, uint64_t count,
		const struct stn_task *task, uint32_t element,
		const void *arguments)
{
	run(frame, array, what, count, task, element, arguments);
}

double
stn_parts_measure(struct stn_frame *frame, struct stn_parts *array,
		  enum stn_parts_what what, uint64_t count,
		  const struct stn_task *task, uint32_t element,
		  const void *arguments)
{
	return run(frame, array, what, count, task, element, arguments);
}

void
stn_parts_free(struct stn_frame *frame, struct stn_parts *array)
{
	struct stn_parts_operate order = { .what = STN_PARTS_FREE };

	array->closed = true;
	call(stn_owner_of(frame->deque), array, &order);
}
