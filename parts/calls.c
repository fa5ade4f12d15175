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
#include "parts/await.h"
#include "parts/command.h"
#include "parts/points.h"
#include "parts/survive/restore.h"
#include "parts/survive/again.h"
#include "steal/steal.h"
#include "steal/virtual_cost.h"

static struct stn_parts_service *
service_of(struct stn_owner *owner)
{
	return stn_node_state(owner->node, &stn_parts_service);
}

static struct stn_parts_create
describe_create(const struct stn_grid *grid)
{
	return (struct stn_parts_create){
		.planes = grid->planes,
		.rows = grid->rows,
		.columns = grid->columns,
		.element = grid->element,
		.number = (uint8_t)grid->number,
		.halo = grid->halo,
		.copies = grid->copies,
		.colours = grid->colours,
		.block = grid->block,
		.part_planes = grid->part_planes,
		.part_rows = grid->part_rows,
		.part_columns = grid->part_columns,
		.star = grid->star,
		.periodic = grid->periodic,
		.progress = grid->progress,
	};
}

bool
stn_calls_by_main(const struct stn_frame *frame)
{
	return frame == stn_owner_of(frame->deque)->main_frame;
}

/* As struct stn_array_id has it. */
static uint32_t
caller_id(const struct stn_frame *frame)
{
	return stn_calls_by_main(frame)
		       ? STN_OF_MAIN
		       : stn_owner_of(frame->deque)->node->rank + 1;
}

/* Net lock held. */
static struct stn_array_id
next_id(struct stn_parts_service *service, uint32_t caller)
{
	uint32_t *made =
		caller == STN_OF_MAIN ? &service->made_by_main : &service->made;

	return (struct stn_array_id){ caller, (*made)++, service->view };
}

/* A call on this node begins, or ends the run. Net lock held. */
static void
begin_call(struct stn_parts *array, uint32_t caller)
{
	if (array->calling)
		stn_array_shared(array);
	array->calling = true;
	array->wanted.caller = caller & 0xffffff;
}

/* Makes the array, or finds the one that main made on the last root. */
static struct stn_parts *
make_array(struct stn_owner *owner, struct stn_parts_create *create,
	   const struct stn_shape *shape)
{
	struct stn_parts_service *service = service_of(owner);
	struct stn_parts *array = stn_array_find(service, create->array);

	service->counts.arrays++;
	if (stn_again_made(service, array, create)) {
		array->calling = true;
		return array;
	}
	/* The array exists before its command: it is waited for. */
	if (!array)
		array = stn_array_create(service, create, shape);
	if (!array)
		stn_node_fail(owner->node, "out of memory");
	array->create = *create;
	array->copies.wanted = create->copied & STN_COPIED_IN_MEMORY;
	array->shape = *shape;
	array->shape.hollow = !array->cells && stn_cost_hollow(owner->node);
	array->count = stn_shape_parts(shape);
	array->done = false;
	array->passes = false;
	array->awaited = 0;
	begin_call(array, create->array.rank);
	stn_command_issue(service, STN_PARTS_KIND_CREATE, create,
			  sizeof(*create));
	return array;
}

/* A worker may still sweep a part of it as it was. Net lock held. */
static void
await_forgotten(struct stn_owner *owner, struct stn_parts *array)
{
	if (!array || !stn_restore_forgets(array))
		return;
	stn_node_leave(owner->node);
	stn_await_finished(owner, array);
}

/* Where versions of the array are copied to: flags STN_COPIED_. */
static uint8_t
choose_copies(const struct stn_owner *owner,
	      const struct stn_parts_create *create,
	      const struct stn_shape *shape)
{
	uint8_t copied = 0;

	if (!stn_array_can_copy(owner->node, shape))
		return 0;
	if (owner->node->start.host.suspect)
		copied |= STN_COPIED_IN_MEMORY;
	if (owner->steal->keep && create->array.rank == STN_OF_MAIN &&
	    (stn_shape_is_cells(shape) || !stn_cost_hollow(owner->node)))
		copied |= STN_COPIED_TO_DISK;
	return copied;
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
	create.array = next_id(service, caller_id(frame));
	create.copied = choose_copies(owner, &create, &shape);
	await_forgotten(owner, stn_array_find(service, create.array));
	array = make_array(owner, &create, &shape);
	array->called = 0;
	array->resumed = 0;
	stn_node_leave(owner->node);
	stn_await_made(owner, array);
	array->calling = false;
	if (stn_calls_by_main(frame))
		stn_again_clock(service_of(owner));
	stn_node_leave(owner->node);
	stn_computes(owner);
	return array;
}

/* A call whose operation a former run of main has called: returns its result.
 */
static double
call_again(struct stn_owner *owner, struct stn_parts *array,
	   const struct stn_parts_operate *order)
{
	const struct stn_call *call = &array->history.calls[order->number - 1];
	const struct stn_shape *shape = &array->shape;
	uint64_t resumed = stn_again_resumed(array, order);

	stn_again_called(array, order);
	array->resumed += resumed;
	if (array->create.progress)
		stn_progress(&owner->deque,
			     resumed * shape->size[0] * shape->size[1] *
				     shape->size[2],
			     0);
	if (order->number == array->history.count) {
		stn_node_leave(owner->node);
		stn_await_finished(owner, array);
		call = &array->history.calls[order->number - 1];
	}
	return call->result;
}

/*
 * Main's calls of its arrays have the numbers that they had before, if main
 * runs again. An array that tasks have used doesn't survive that.
 */
static uint32_t
next_number(struct stn_parts *array, uint32_t caller)
{
	if (caller == STN_OF_MAIN && array->id.rank == STN_OF_MAIN &&
	    !array->lent)
		return ++array->called;
	return array->history.count + 1;
}

/*
 * Gives the command. On the root all earlier operations must have been repeated
 * first; another node sends it, and the root lets it wait. Net lock held; not
 * in the meantime.
 */
static void
issue_call(struct stn_parts *array, const struct stn_parts_operate *order)
{
	array->done = false;
	array->awaited = order->number;
	array->result.count = 0;
	array->wanted = *order;
	stn_command_operate(array, order);
}

/* Whether the call is one that main has made before. */
static bool
is_known(const struct stn_parts *array, uint32_t caller)
{
	return caller == STN_OF_MAIN && array->id.rank == STN_OF_MAIN &&
	       stn_await_known(array);
}

double
stn_calls_call(struct stn_frame *frame, struct stn_parts *array,
	       struct stn_parts_operate *order)
{
	struct stn_owner *owner = stn_owner_of(frame->deque);
	const struct stn_node *node = owner->node;
	uint32_t caller = caller_id(frame);
	double result;

	stn_computed(owner, 0);
	stn_node_enter(owner->node);
	begin_call(array, caller);
	if (node->rank == node->members.root && !is_known(array, caller)) {
		stn_node_leave(owner->node);
		stn_await_finished(owner, array);
	}
	order->number = next_number(array, caller);
	order->array = array->id;
	order->caller = caller & 0xffffff;
	order->after_get = array->got;
	if (order->what == STN_PARTS_DEAL)
		order->array.generation = array->dealt_generation;
	if (owner->node->stopping) {
		result = 0;
	} else if (order->number > array->history.count) {
		issue_call(array, order);
		stn_node_leave(owner->node);
		stn_await_finished(owner, array);
		result = array->result.count ? array->result.folds[0].value : 0;
	} else {
		result = call_again(owner, array, order);
	}
	array->calling = false;
	if (stn_calls_by_main(frame))
		stn_again_clock(service_of(owner));
	stn_node_leave(owner->node);
	stn_computes(owner);
	return result;
}

void
stn_calls_operate(struct stn_frame *frame, struct stn_parts *array,
		  uint8_t what, const struct stn_parts_range *range)
{
	struct stn_parts_operate order = { .what = what };

	if (range) {
		order.argument_bytes = sizeof(*range);
		memcpy(order.arguments, range, sizeof(*range));
	}
	stn_calls_call(frame, array, &order);
}

void
stn_calls_collect(struct stn_frame *frame, struct stn_parts *array,
		  struct stn_parts_range range, struct stn_points **points)
{
	struct stn_owner *owner = stn_owner_of(frame->deque);
	struct stn_fetching *fetching = &array->fetching;

	stn_computed(owner, 0);
	stn_node_enter(owner->node);
	begin_call(array, caller_id(frame));
	fetching->points = points;
	fetching->range = range;
	fetching->missing = range.end - range.first;
	while (fetching->missing && !owner->node->stopping) {
		stn_points_ask(array);
		stn_node_leave(owner->node);
		stn_await_points(owner, array);
		stn_node_enter(owner->node);
	}
	if (fetching->missing)
		stn_node_fail(owner->node,
			      "the run has ended while a task copied a grid");
	array->calling = false;
	stn_node_leave(owner->node);
	stn_computes(owner);
}

bool
stn_calls_repeated(struct stn_frame *frame, struct stn_parts *array,
		   uint32_t operations)
{
	struct stn_owner *owner = stn_owner_of(frame->deque);
	bool repeated;

	stn_node_enter(owner->node);
	repeated = stn_calls_by_main(frame) && !array->lent &&
		   array->id.rank == STN_OF_MAIN &&
		   array->history.count >= array->called + operations;
	stn_node_leave(owner->node);
	return repeated;
}

void
stn_calls_check(const struct stn_frame *frame, const struct stn_parts *array)
{
	/* If main runs again, it calls what it had called before it was freed.
	 */
	bool again = stn_calls_by_main(frame) &&
		     array->id.rank == STN_OF_MAIN && !array->lent;

	if (array->closed || (array->freed && !again))
		stn_node_fail(array->service->node,
			      "a grid is used after STN_GRID_FREE");
}

void
stn_calls_set_kernel(struct stn_parts_operate *order,
		     const struct stn_parts *array,
		     const struct stn_task *kernel, const void *arguments)
{
	const char *from = arguments;

	order->task_id =
		(uint16_t)stn_table_id(&array->service->program->table, kernel);
	order->argument_bytes = (uint8_t)kernel->argument_bytes;
	/* One by one: stn_call_hash hashes the padding between them, too. */
	for (uint32_t i = 0; i < kernel->argument_count; i++)
		memcpy(order->arguments + kernel->arguments[i].offset,
		       from + kernel->arguments[i].offset,
		       kernel->arguments[i].bytes);
}

static double
run(struct stn_frame *frame, struct stn_parts *array, enum stn_parts_what what,
    uint64_t count, const struct stn_task *task, uint32_t element,
    const void *arguments)
{
	struct stn_owner *owner = stn_owner_of(frame->deque);
	struct stn_parts_operate order = { .what = (uint8_t)what,
					   .sweeps = count };

	stn_calls_check(frame, array);
	stn_array_check_grid(array);
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
	stn_calls_set_kernel(&order, array, task, arguments);
	return stn_calls_call(frame, array, &order);
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
	if (array->shape.hollow)
		warn_hollow(array->service);
	return run(frame, array, what, count, task, element, arguments);
}

uint64_t
stn_parts_resumed(struct stn_frame *frame, const struct stn_parts *array)
{
	struct stn_node *node = stn_owner_of(frame->deque)->node;
	uint64_t sweeps;

	stn_node_enter(node);
	sweeps = array->resumed;
	stn_node_leave(node);
	return sweeps;
}

void
stn_parts_free(struct stn_frame *frame, struct stn_parts *array)
{
	stn_calls_check(frame, array);
	array->closed = true;
	stn_calls_operate(frame, array, STN_PARTS_FREE, NULL);
}
