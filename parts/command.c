#include "parts/command.h"

#include <inttypes.h>
#include <string.h>

#include "node/dispatch.h"
#include "node/membership_tree.h"
#include "node/progress.h"
#include "node/sleep.h"
#include "parts/array.h"
#include "parts/cells/cells_join.h"
#include "parts/cells/plan.h"
#include "parts/create.h"
#include "parts/gather.h"
#include "parts/halo.h"
#include "parts/order.h"
#include "parts/ready.h"
#include "parts/scheduler.h"
#include "parts/survive/again.h"
#include "parts/survive/copies.h"
#include "parts/survive/store.h"
#include "parts/survive/unkept.h"
#include "parts/survive/versions.h"
#include "steal/steal.h"

static void
skip_part(struct stn_part *part, void *arg)
{
	(void)arg;
	stn_part_skip(part);
}

static void
operation_begin_part(struct stn_part *part, void *arg)
{
	struct stn_parts *array = part->array;

	(void)arg;
	/* Or it came from a node that had begun before. */
	if (part->finished < array->operation.order.number)
		array->unfinished++;
	if (part->restored)
		stn_halo_again(part);
	stn_part_consider(part);
}

void
stn_boundary_set(struct stn_parts *array, uint32_t number)
{
	const struct stn_parts_operate *order =
		stn_history_boundary(&array->history, number);

	array->boundary = (struct stn_boundary){ 0 };
	if (!order)
		return;
	array->boundary.kernel =
		array->service->program->table.tasks[order->task_id];
	memcpy(array->boundary.record.arguments, order->arguments,
	       order->argument_bytes);
}

/* May operations be repeated, after a death or by a run with --resume? */
static bool
may_repeat(const struct stn_node *node)
{
	return node->start.host.suspect || strcmp(node->config->keep, "none");
}

/*
 * Notes the operation. A part that DEAL has changed has the same version as
 * before, but the operations up to DEAL are not all in a copy of that version.
 */
static void
note_operation(struct stn_parts *array, const struct stn_parts_operate *order)
{
	uint64_t end = array->version + stn_order_changes(order);

	if (order->number <= array->history.count)
		return;
	if (array->calling && order->caller != array->wanted.caller)
		stn_array_shared(array);
	if (order->caller != array->id.rank)
		stn_again_lend(array);
	if (stn_history_add(&array->history, order, array->operation.base, end,
			    array->operation.begin_ns))
		stn_array_no_memory(array);
	if (!may_repeat(array->service->node))
		stn_history_drop(&array->history, UINT64_MAX);
}

static void
begin_operation(struct stn_parts *array, const struct stn_parts_operate *order)
{
	struct stn_parts_service *service = array->service;
	uint32_t before = array->operation.order.number;

	/* A worker reads the operation without the lock. */
	if (array->running)
		stn_node_fail(service->node,
			      "an operation on an array has begun before the "
			      "last one has ended; please report that");
	array->operation = (struct stn_operation){
		.order = *order,
		.base = stn_operate_base(order),
		.blocks = stn_order_blocks(order, array->shape.block),
		.begin_ns = stn_node_now(service->node),
		.active = order->what != STN_PARTS_FREE,
	};
	if (order->what < STN_PARTS_FREE)
		array->operation.kernel =
			service->program->table.tasks[order->task_id];
	array->version = array->operation.base + array->operation.blocks;
	if (array->cells)
		stn_cells_start(array);
	if (order->what == STN_PARTS_SWEEPS)
		service->counts.last_sweep_ns = 0;
	array->unfinished = 0;
	array->done = false;
	note_operation(array, order);
	stn_unkept_swept(array);
	if (!before || order->what == STN_PARTS_BOUNDARY)
		stn_boundary_set(array, order->number);
	stn_versions_begin(array);
	if (service->scheduler->begins)
		service->scheduler->begins(array);
}

static enum stn_err
carry_out_operate(struct stn_parts_service *service,
		  const struct stn_parts_operate *order)
{
	struct stn_parts *array = stn_array_find(service, order->array);

	/* This node has joined, and will get to know the array by KNOW. */
	if (!array || !array->scheduling)
		return STN_OK;
	if (order->number <= array->operation.order.number)
		return STN_OK; /* sent again, for the sake of other nodes */
	if (!stn_order_fits(order, array->cells))
		return STN_MALFORMED;
	begin_operation(array, order);
	if (order->what == STN_PARTS_FREE) {
		if (!stn_copies_promised(array))
			stn_copies_fini(array);
		stn_store_free(array);
		stn_array_clear(array);
	} else {
		/* All of them, before a neighbour's pieces may queue one. */
		stn_array_each(array, skip_part, NULL);
		stn_array_each(array, operation_begin_part, NULL);
	}
	stn_gather_begin(array);
	stn_gather_flush(array);
	return STN_OK;
}

static enum stn_err
carry_out_version(struct stn_parts_service *service,
		  const struct stn_parts_version *version)
{
	struct stn_parts *array = stn_array_find(service, version->array);

	if (array && !array->freed)
		stn_versions_set(array, version);
	return STN_OK;
}

static enum stn_err
carry_out_outcome(struct stn_parts_service *service,
		  const struct stn_parts_outcome *outcome)
{
	struct stn_parts *array = stn_array_find(service, outcome->array);

	if (array && outcome->number && outcome->number <= array->history.count)
		array->history.calls[outcome->number - 1].result =
			outcome->value;
	return STN_OK;
}

/* On the root: an operation on cells follows its plan. */
static void
provide_plan(struct stn_parts_service *service, struct stn_parts_wire *wire)
{
	struct stn_parts *array = stn_array_find(service, wire->create.array);

	if (wire->kind == STN_PARTS_KIND_OPERATE && array && array->cells &&
	    service->node->rank == service->node->members.root)
		stn_plan_provide(array, &wire->operate);
}

/* Passes a command on down the tree, and carries it out. */
static enum stn_err
command_carry_out(struct stn_parts_service *service,
		  struct stn_parts_wire *wire, size_t bytes)
{
	struct stn_node *node = service->node;
	uint32_t children[STN_MEMBERSHIP_CHILDREN];
	uint32_t count = stn_membership_children(&node->members, node->rank,
						 node->cluster, children);

	provide_plan(service, wire);
	for (uint32_t i = 0; i < count; i++)
		stn_node_say(node, children[i], wire->kind, &wire->create,
			     bytes);
	switch (wire->kind) {
	case STN_PARTS_KIND_CREATE:
		return stn_create(service, &wire->create);
	case STN_PARTS_KIND_OPERATE:
		return carry_out_operate(service, &wire->operate);
	case STN_PARTS_KIND_VERSION:
		return carry_out_version(service, &wire->version);
	default:
		return carry_out_outcome(service, &wire->outcome);
	}
}

/* The array's version before operation @number, which may be repeated. */
static uint64_t
base_of(const struct stn_parts *array, uint32_t number)
{
	const struct stn_order *order =
		stn_history_order(&array->history, number);

	if (number == array->operation.order.number)
		return array->operation.base;
	return order ? order->base : array->version;
}

static _Noreturn void
fail_file(const struct stn_parts *array)
{
	stn_node_fail(array->service->node,
		      "a node has died, and a grid that was read from a file "
		      "(STN_READ) had no complete copy of its parts yet; it "
		      "can't be read again");
}

/* On the root: the command is for the present view and generation. */
static void
command_stamp(struct stn_parts_service *service, struct stn_parts_wire *wire)
{
	const struct stn_parts *array =
		stn_array_find(service, wire->create.array);
	uint32_t generation = wire->create.array.generation;
	uint64_t base;

	wire->create.array.generation =
		array && (array->scheduling || array->restoring)
			? array->id.generation
			: service->view;
	switch (wire->kind) {
	case STN_PARTS_KIND_CREATE:
		wire->create.view = service->view;
		break;
	case STN_PARTS_KIND_OPERATE:
		if (wire->operate.what == STN_PARTS_DEAL && array &&
		    generation != array->id.generation)
			fail_file(array);
		wire->operate.view = service->view;
		base = array ? base_of(array, wire->operate.number) : 0;
		if (base >= STN_BASE_MOST)
			stn_node_fail(service->node,
				      "a grid has been swept too often");
		stn_operate_set_base(&wire->operate, base);
		break;
	case STN_PARTS_KIND_VERSION:
		wire->version.view = service->view;
		break;
	default:
		wire->outcome.view = service->view;
	}
}

/* On the root: whether the operation is a new one. */
static bool
is_new(const struct stn_parts *array, const struct stn_parts_operate *order)
{
	const struct stn_order *known =
		stn_history_order(&array->history, order->number);

	if (order->number > array->history.count) {
		if (!array->done)
			stn_array_shared(array);
		return true;
	}
	/* Sent again because of a view; or two callers send the same number. */
	if (known && known->order.caller != order->caller)
		stn_array_shared(array);
	return false;
}

enum stn_err
stn_command_take(struct stn_parts_service *service,
		 const struct stn_message *message, struct stn_parts_wire *wire)
{
	const struct stn_parts *array = stn_array_find(service, wire->array);

	if (service->node->rank == service->node->members.root) {
		if (wire->kind == STN_PARTS_KIND_OPERATE && array &&
		    array->scheduling && !is_new(array, &wire->operate))
			return STN_OK;
		command_stamp(service, wire);
	}
	return command_carry_out(service, wire, message->header_bytes);
}

void
stn_command_issue(struct stn_parts_service *service, uint8_t kind,
		  const void *header, size_t bytes)
{
	struct stn_node *node = service->node;
	struct stn_parts_wire wire = { .kind = kind };

	if (node->members.root != node->rank) {
		stn_node_say(node, node->members.root, kind, header, bytes);
		return;
	}
	memcpy(&wire.create, header, bytes);
	command_stamp(service, &wire);
	if (command_carry_out(service, &wire, bytes))
		stn_node_fail(node, "this node has refused its own command "
				    "for an array; please report that");
}

/* The next operation makes the result of a measure known to all nodes. */
static void
issue_outcome(struct stn_parts *array, uint32_t number)
{
	const struct stn_order *order =
		stn_history_order(&array->history, number);
	const struct stn_parts_outcome outcome = {
		array->id, number, 0,
		number ? array->history.calls[number - 1].result : 0
	};

	if (order && (order->order.what == STN_PARTS_SUM ||
		      order->order.what == STN_PARTS_MAX))
		stn_command_issue(array->service, STN_PARTS_KIND_OUTCOME,
				  &outcome, sizeof(outcome));
}

void
stn_command_operate(struct stn_parts *array,
		    const struct stn_parts_operate *order)
{
	if (array->service->node->rank == array->service->node->members.root)
		issue_outcome(array, order->number - 1);
	stn_command_issue(array->service, STN_PARTS_KIND_OPERATE, order,
			  sizeof(*order));
}

/* The root lets the caller of the last operation go on. */
static void
tell_caller(struct stn_parts *array)
{
	uint32_t caller = array->operation.order.number
				  ? array->operation.order.caller
				  : array->id.rank;

	array->repeating = false;
	stn_gather_complete(array);
	if (caller != STN_OF_MAIN && caller - 1 != array->service->node->rank &&
	    stn_caller_lives(array->service->node, caller))
		stn_gather_tell(array, caller - 1);
}

void
stn_command_again(struct stn_parts *array)
{
	const struct stn_parts_operate order = array->operation.order;

	array->repeating = !array->done;
	if (order.number && array->scheduling && !array->restoring)
		stn_command_operate(array, &order);
	if (array->done)
		tell_caller(array);
}

static void
command_resend(struct stn_parts *array, const struct stn_parts_operate *order)
{
	if (array->cells)
		stn_plan_resend(array);
	stn_command_operate(array, order);
}

void
stn_command_resend(struct stn_parts *array)
{
	const struct stn_parts_operate wanted = array->wanted;
	const struct stn_node *node = array->service->node;

	if (!array->calling || array->freed)
		return;
	if (!array->awaited && !array->scheduling && !array->restoring)
		stn_command_issue(array->service, STN_PARTS_KIND_CREATE,
				  &array->create, sizeof(array->create));
	else if (wanted.number > array->history.count &&
		 (node->rank != node->members.root || array->done))
		command_resend(array, &wanted);
}

/* The operation to be repeated after @number; NULL: all has been repeated. */
static const struct stn_order *
next_order(const struct stn_parts *array, uint32_t number)
{
	const struct stn_history *history = &array->history;
	uint32_t next = number + 1;

	if (number >= history->count)
		return NULL;
	while (!number && array->restored && next < history->count &&
	       (!stn_history_order(history, next) ||
		stn_history_order(history, next)->end <= array->restored))
		next++;
	if (stn_history_order(history, next) &&
	    stn_history_order(history, next)->order.what == STN_PARTS_DEAL)
		fail_file(array);
	if (!stn_history_order(history, next))
		stn_node_fail(
			array->service->node,
			"all copies of a part of an array are lost, and %s",
			array->revived_calls
				? "a resumed run can't begin from nothing; "
				  "resume it once more, on more nodes or "
				  "clusters"
				: "there have been too many operations to "
				  "begin again; use more nodes or clusters");
	return stn_history_order(history, next);
}

void
stn_command_finished(struct stn_parts *array)
{
	uint32_t number = array->operation.order.number;
	const struct stn_order *next = next_order(array, number);
	struct stn_parts_operate order;

	if (array->result.count && number)
		array->history.calls[number - 1].result =
			array->result.folds[0].value;
	if (next) {
		order = next->order;
		stn_command_operate(array, &order);
		array->passes = !array->cells;
		stn_node_wake(array->service->node);
		return;
	}
	tell_caller(array);
	if (array->calling && array->wanted.number > array->history.count)
		stn_command_operate(array, &array->wanted);
	array->service->early.due = true; /* the next call may wait */
	stn_progress_kick(array->service->node);
}
