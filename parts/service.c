/*
 * service.c: the table of the parts service, and the life of its state.
 */
#include "parts/service.h"

#include <inttypes.h>
#include <stdlib.h>

#include "node/progress.h"
#include "parts/array.h"
#include "parts/command.h"
#include "parts/gather.h"
#include "parts/halo.h"
#include "parts/move.h"
#include "parts/points.h"
#include "parts/ready.h"
#include "parts/scheduler.h"
#include "parts/sweep.h"

static const struct stn_setting_table *
parts_settings(size_t number)
{
	const struct stn_scheduler *scheduler;

	for (size_t i = 0; (scheduler = stn_scheduler_at(i)); i++)
		if (scheduler->settings && !number--)
			return scheduler->settings;
	return NULL;
}

static enum stn_err
parts_open(struct stn_node *node, void **state_p, struct stn_why *why)
{
	struct stn_parts_service *service = calloc(1, sizeof(*service));

	if (!service)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	service->node = node;
	service->program = node->start.program;
	service->scheduler = stn_scheduler_find(node->config->scheduler);
	SLIST_INIT(&service->arrays);
	SLIST_INIT(&service->freed);
	*state_p = service;
	return STN_OK;
}

static void
parts_close(void *state)
{
	struct stn_parts_service *service = state;

	while (!SLIST_EMPTY(&service->arrays))
		stn_array_destroy(SLIST_FIRST(&service->arrays));
	while (!SLIST_EMPTY(&service->freed))
		stn_array_destroy(SLIST_FIRST(&service->freed));
	stn_ready_fini(&service->ready);
	free(service);
}

static enum stn_err
handle_of_array(struct stn_parts *array, const struct stn_message *message,
		const struct stn_parts_wire *wire)
{
	const struct stn_scheduler *scheduler = array->service->scheduler;
	uint64_t now = stn_node_now(array->service->node);

	if (array->freed && wire->kind != STN_PARTS_KIND_FINISHED) {
		stn_transport_refuse(array->service->node->transport, message);
		return STN_OK;
	}
	switch (wire->kind) {
	case STN_PARTS_KIND_FINISHED:
		return stn_gather_take(array, message, &wire->finished);
	case STN_PARTS_KIND_PIECE:
		return stn_halo_take(array, message, &wire->piece);
	case STN_PARTS_KIND_GIVE:
		return stn_move_take(array, message, &wire->give);
	case STN_PARTS_KIND_MOVED:
		return stn_move_told(array, &wire->moved);
	case STN_PARTS_KIND_COLLECTED:
	case STN_PARTS_KIND_DEALT:
		return stn_points_take(array, message, &wire->points);
	case STN_PARTS_KIND_ASK:
		if (!scheduler->asked)
			return STN_MALFORMED;
		scheduler->asked(array, message->from, &wire->ask, now);
		return STN_OK;
	case STN_PARTS_KIND_NONE:
		if (!scheduler->answered)
			return STN_MALFORMED;
		scheduler->answered(array, message->from, &wire->ask, now);
		return STN_OK;
	case STN_PARTS_KIND_SPEED:
		return scheduler->told ? scheduler->told(array, message->from,
							 &wire->speed)
				       : STN_MALFORMED;
	case STN_PARTS_KIND_RECUT:
		return scheduler->recut
			       ? scheduler->recut(array, message, &wire->recut)
			       : STN_MALFORMED;
	}
	return STN_MALFORMED;
}

static enum stn_err
parts_handle(void *state, const struct stn_message *message)
{
	struct stn_parts_service *service = state;
	struct stn_parts_wire wire;
	struct stn_parts *array;
	enum stn_err err =
		stn_parts_wire_parse(message, &service->program->table, &wire);

	if (err)
		return err;
	if (wire.kind == STN_PARTS_KIND_CREATE ||
	    wire.kind == STN_PARTS_KIND_OPERATE)
		return stn_command_take(service, message, &wire);
	array = stn_array_find(service, wire.array);
	return array ? handle_of_array(array, message, &wire) : STN_MALFORMED;
}

static bool
parts_work(void *state, struct stn_worker *worker)
{
	return stn_sweep_work(state, worker);
}

uint64_t
stn_parts_seek(struct stn_parts_service *service)
{
	uint64_t again;

	if (!service->used)
		return STN_FOREVER;
	stn_node_enter(service->node);
	again = stn_scheduler_idle(service);
	stn_node_leave(service->node);
	return again;
}

static uint64_t
parts_seek(void *state, struct stn_worker *worker)
{
	(void)worker;
	return stn_parts_seek(state);
}

static bool
parts_may_sleep(void *state, uint64_t *until_ns)
{
	struct stn_parts_service *service = state;

	(void)until_ns;
	return !service->ready.count;
}

static void
parts_died(void *state, uint32_t rank)
{
	struct stn_parts_service *service = state;
	const struct stn_parts *array;

	SLIST_FOREACH(array, &service->arrays, link)
	stn_node_fail(service->node,
		      "node %" PRIu32 " is gone, and parts of an array with it",
		      rank);
}

const struct stn_service stn_parts_service = {
	.name = "parts",
	.kinds = stn_parts_kinds,
	.kind_count = STN_PARTS_KINDS,
	.counts = &stn_parts_counts_table,
	.settings = parts_settings,
	.open = parts_open,
	.close = parts_close,
	.handle = parts_handle,
	.work = parts_work,
	.help = parts_work,
	.seek = parts_seek,
	.may_sleep = parts_may_sleep,
	.died = parts_died,
	.count = stn_parts_count,
};
