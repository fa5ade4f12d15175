#include "parts/survive/know.h"

#include <stdlib.h>
#include <string.h>

#include "node/dispatch.h"
#include "node/sleep.h"
#include "parts/array.h"
#include "parts/cells/cells_join.h"
#include "parts/command.h"
#include "parts/create.h"
#include "parts/early.h"
#include "parts/gather.h"
#include "parts/order.h"
#include "parts/scheduler.h"
#include "parts/survive/copies.h"
#include "parts/survive/store.h"

/* A KNOW on its way, with its payload. */
struct knowledge {
	struct stn_parts_service *service;
	struct stn_parts_know header;
	size_t bytes;
	_Alignas(16) unsigned char payload[];
};

/*
 * A worker may still sweep a part of an array whose parts are to return to an
 * earlier version. What is known of its parts is void then, and they begin in
 * new homes.
 */
static void
list_all_homes(const struct stn_parts *array, struct stn_homes *homes)
{
	for (uint32_t i = 0; i < array->count; i++) {
		uint32_t home = array->restoring
					? stn_array_first_home(array, i)
					: stn_array_home(array, i);
		uint32_t epoch =
			array->restoring ? 0 : stn_array_epoch(array, i);

		if (stn_homes_add(homes, i, home, epoch))
			stn_array_no_memory(array);
	}
}

static void
knowledge_must_arrive(const struct knowledge *knowledge, enum stn_err err)
{
	stn_node_must_arrive(knowledge->service->node,
			     "a description of an array", err);
}

static void
knowledge_left(void *arg, enum stn_err err)
{
	knowledge_must_arrive(arg, err);
	free(arg);
}

static unsigned char *
append(unsigned char *to, const void *from, size_t bytes)
{
	if (bytes)
		memcpy(to, from, bytes);
	return to + bytes;
}

static struct knowledge *
create_knowledge(struct stn_parts *array, const struct stn_homes *homes)
{
	const struct stn_history *history = &array->history;
	uint32_t orders = stn_history_orders(history);
	size_t call_bytes = history->count * sizeof(history->calls[0]);
	size_t order_bytes = orders * sizeof(history->orders[0]);
	size_t home_bytes = homes->count * sizeof(homes->list[0]);
	size_t bytes = sizeof(struct stn_parts_known) + call_bytes +
		       order_bytes + home_bytes;
	struct knowledge *knowledge = calloc(1, sizeof(*knowledge) + bytes);
	struct stn_parts_known known = {
		array->create,
		array->operation.order,
		array->operation.base,
		array->copies.complete,
		array->copies.next,
		history->boundary,
		array->operation.active && !array->restoring,
		array->freed,
		array->lent,
		history->got,
		array->storing.kept,
		array->storing.next,
		array->revived_sweeps,
		array->revived_calls,
		0,
		0,
		0,
		0,
		0,
	};
	unsigned char *to;

	if (array->cells)
		stn_cells_tell(array, &known);
	if (!knowledge)
		stn_array_no_memory(array);
	knowledge->service = array->service;
	knowledge->header =
		(struct stn_parts_know){ array->id, array->service->view,
					 history->count, orders, homes->count };
	knowledge->bytes = bytes;
	to = append(knowledge->payload, &known, sizeof(known));
	to = append(to, history->calls, call_bytes);
	to = append(to, history->orders, order_bytes);
	append(to, homes->list, home_bytes);
	return knowledge;
}

void
stn_know_send(struct stn_parts *array, uint32_t to)
{
	struct knowledge *knowledge;
	struct stn_homes homes = { 0 };
	struct iovec piece;

	if (!array->freed)
		list_all_homes(array, &homes);
	knowledge = create_knowledge(array, &homes);
	stn_homes_fini(&homes);
	piece = (struct iovec){ knowledge->payload, knowledge->bytes };
	stn_node_send(array->service->node, to, STN_PARTS_KIND_KNOW,
		      &knowledge->header, sizeof(knowledge->header), &piece, 1,
		      knowledge_left, knowledge);
}

static _Noreturn void
fail_knowledge(const struct knowledge *knowledge)
{
	stn_node_fail(knowledge->service->node,
		      "the root has sent a malformed description of an array");
}

/* Where the parts of the payload are. */
struct known_lists {
	struct stn_parts_known known;
	const struct stn_call *calls;
	const struct stn_order *orders;
	const struct stn_home *homes;
};

static struct known_lists
split_payload(const struct knowledge *knowledge)
{
	const struct stn_parts_know *header = &knowledge->header;
	struct known_lists lists;
	const unsigned char *at = knowledge->payload;

	memcpy(&lists.known, at, sizeof(lists.known));
	at += sizeof(lists.known);
	lists.calls = (const void *)at;
	lists.orders = (const void *)(lists.calls + header->calls);
	lists.homes = (const void *)(lists.orders + header->orders);
	return lists;
}

static bool
orders_good(const struct known_lists *lists, uint32_t count,
	    const struct stn_table *table)
{
	for (uint32_t i = 0; i < count; i++)
		if (stn_parts_operate_check(&lists->orders[i].order, table))
			return false;
	return true;
}

/* Are the operation, and those that may be repeated, for this kind of array? */
static bool
orders_fit(const struct known_lists *lists, uint32_t count, bool cells)
{
	const struct stn_parts_known *known = &lists->known;

	if ((known->active && !stn_order_fits(&known->operate, cells)) ||
	    (known->boundary.number &&
	     !stn_order_fits(&known->boundary, cells)))
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (!stn_order_fits(&lists->orders[i].order, cells))
			return false;
	return true;
}

/* The array as the root knows it, without its parts. */
static struct stn_parts *
create_known(const struct knowledge *knowledge, const struct known_lists *lists)
{
	struct stn_parts_service *service = knowledge->service;
	const struct stn_parts_know *header = &knowledge->header;
	struct stn_grid grid = stn_grid_of(&lists->known.create);
	struct stn_parts *array = stn_array_find(service, header->array);
	struct stn_shape shape;
	struct stn_why why;

	if (stn_shape_init(&shape, &grid, &why) ||
	    stn_parts_known_check(&lists->known, &service->program->table) ||
	    !orders_good(lists, header->orders, &service->program->table))
		fail_knowledge(knowledge);
	if (!array)
		array = stn_array_create(service, &lists->known.create, &shape);
	if (array && !orders_fit(lists, header->orders, array->cells))
		fail_knowledge(knowledge);
	if (!array ||
	    stn_history_take(&array->history, lists->calls, header->calls,
			     lists->orders, header->orders))
		stn_node_fail(service->node, "out of memory");
	if (header->calls) /* the last one, which goes on */
		array->history.begins[header->calls - 1] =
			stn_node_now(service->node);
	if (array->cells)
		stn_cells_learn(array, &lists->known, lists->homes,
				header->homes);
	if (!stn_homes_valid(lists->homes, header->homes, array->count,
			     service->node->topology->nodes, true))
		fail_knowledge(knowledge);
	array->homes.count = 0; /* of an earlier view */
	for (uint32_t i = 0; i < header->homes; i++)
		for (uint32_t j = 0; j < lists->homes[i].count; j++)
			if (stn_homes_add(&array->homes,
					  lists->homes[i].first + j,
					  lists->homes[i].home,
					  lists->homes[i].epoch))
				stn_array_no_memory(array);
	return array;
}

static void
set_operation(struct stn_parts *array, const struct stn_parts_known *known)
{
	struct stn_operation *operation = &array->operation;

	if (!known->active && !known->freed)
		return; /* it has had none */
	*operation = (struct stn_operation){
		.order = known->operate,
		.base = known->base,
		.begin_ns = stn_node_now(array->service->node),
		.active = known->active,
	};
	stn_boundary_set(array, operation->order.number);
	if (known->active)
		operation->blocks =
			stn_order_blocks(&operation->order, array->shape.block);
	if (known->active && operation->order.what < STN_PARTS_FREE)
		operation->kernel = array->service->program->table
					    .tasks[operation->order.task_id];
	array->version = operation->base + operation->blocks;
}

static void
array_learn(const struct knowledge *knowledge)
{
	struct stn_parts_service *service = knowledge->service;
	struct known_lists lists = split_payload(knowledge);
	struct stn_parts *array;

	array = create_known(knowledge, &lists);
	array->id = knowledge->header.array;
	array->regrouped = true;
	stn_array_set_freed(array, lists.known.freed);
	array->lent = lists.known.lent;
	array->revived_calls = lists.known.revived_calls;
	array->revived_sweeps = lists.known.revived_sweeps;
	array->history.got = lists.known.got;
	array->history.boundary = lists.known.boundary;
	array->copies.wanted = lists.known.create.copied & STN_COPIED_IN_MEMORY;
	stn_copies_keep(array, lists.known.complete, lists.known.next);
	stn_store_create(array);
	stn_store_set(array, lists.known.kept, lists.known.stores);
	set_operation(array, &lists.known);
	stn_scheduler_created(array);
	stn_gather_begin(array);
	stn_gather_flush(array);
	stn_early_retry(service);
	stn_node_wake(service->node); /* it may ask for parts */
}

static void
knowledge_landed(void *arg, enum stn_err err)
{
	struct knowledge *knowledge = arg;
	const struct stn_parts *array =
		stn_array_find(knowledge->service, knowledge->header.array);

	knowledge_must_arrive(knowledge, err);
	/* After another view the root sends it again. */
	if (!err && knowledge->header.view == knowledge->service->view &&
	    !(array && array->scheduling))
		array_learn(knowledge);
	free(knowledge);
}

void
stn_know_take(struct stn_parts_service *service,
	      const struct stn_message *message,
	      const struct stn_parts_know *header)
{
	size_t bytes = message->payload_bytes;
	struct knowledge *knowledge = malloc(sizeof(*knowledge) + bytes);
	struct iovec piece;

	if (!knowledge)
		stn_node_fail(service->node, "out of memory");
	knowledge->service = service;
	knowledge->header = *header;
	knowledge->bytes = bytes;
	piece = (struct iovec){ knowledge->payload, bytes };
	stn_early_take(service, message, &piece, 1, knowledge_landed,
		       knowledge);
}
