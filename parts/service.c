/*
 * service.c: the table of the parts service, and the life of its state.
 */
#include "parts/service.h"

#include <stdlib.h>

#include "node/progress.h"
#include "parts/array.h"
#include "parts/cells/near.h"
#include "parts/cells/plan.h"
#include "parts/cells/rows.h"
#include "parts/command.h"
#include "parts/early.h"
#include "parts/fate.h"
#include "parts/gather.h"
#include "parts/halo.h"
#include "parts/moves/depart.h"
#include "parts/moves/move.h"
#include "parts/points.h"
#include "parts/ready.h"
#include "parts/scheduler.h"
#include "parts/survive/again.h"
#include "parts/survive/copies.h"
#include "parts/survive/know.h"
#include "parts/survive/regroup.h"
#include "parts/survive/revive.h"
#include "parts/survive/revive_parts.h"
#include "parts/survive/second.h"
#include "parts/survive/store.h"
#include "parts/survive/stored.h"
#include "parts/survive/versions.h"
#include "parts/sweep.h"
#include "parts/traced.h"
#include "steal/steal.h"

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
handle_for_scheduler(struct stn_parts *array, const struct stn_message *message,
		     const struct stn_parts_wire *wire)
{
	const struct stn_scheduler *scheduler = array->service->scheduler;
	uint64_t now = stn_node_now(array->service->node);

	switch (wire->kind) {
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
handle_of_cells(struct stn_parts *array, const struct stn_message *message,
		const struct stn_parts_wire *wire)
{
	switch (wire->kind) {
	case STN_PARTS_KIND_PLAN:
		return stn_plan_take(array, message, &wire->plan);
	case STN_PARTS_KIND_ROWS:
		return stn_rows_take(array, message, &wire->rows);
	case STN_PARTS_KIND_WANT:
		return stn_near_wanted(array, message, &wire->want);
	default:
		return stn_near_take(array, message, &wire->block);
	}
}

static enum stn_err
handle_of_array(struct stn_parts *array, const struct stn_message *message,
		const struct stn_parts_wire *wire)
{
	switch (wire->kind) {
	case STN_PARTS_KIND_FINISHED:
		stn_gather_take(array, message, &wire->finished);
		return STN_OK;
	case STN_PARTS_KIND_PIECE:
		return stn_halo_take(array, message, &wire->piece);
	case STN_PARTS_KIND_GIVE:
		return stn_move_take(array, message, &wire->give);
	case STN_PARTS_KIND_MOVED:
		return stn_move_told(array, &wire->moved);
	case STN_PARTS_KIND_COPY:
		return stn_second_take(array, message, &wire->copy);
	case STN_PARTS_KIND_SAFE:
		stn_versions_said(array, &wire->safe);
		return STN_OK;
	case STN_PARTS_KIND_HOMES:
		return stn_depart_homes(array, message, &wire->homes);
	case STN_PARTS_KIND_COLLECTED:
	case STN_PARTS_KIND_DEALT:
		return stn_points_take(array, message, &wire->points);
	case STN_PARTS_KIND_FETCH:
		return stn_points_wanted(array, &wire->points);
	case STN_PARTS_KIND_PLAN:
	case STN_PARTS_KIND_ROWS:
	case STN_PARTS_KIND_WANT:
	case STN_PARTS_KIND_BLOCK:
		return array->cells ? handle_of_cells(array, message, wire)
				    : STN_MALFORMED;
	}
	return handle_for_scheduler(array, message, wire);
}

/* The answer may come when the array is not needed any more. */
static enum stn_err
handle_revival(struct stn_parts_service *service, struct stn_parts *array,
	       const struct stn_message *message,
	       const struct stn_parts_wire *wire)
{
	if (wire->kind == STN_PARTS_KIND_NEED)
		return stn_revive_needed(service, &wire->need);
	if (!array)
		return STN_MALFORMED;
	switch (wire->kind) {
	case STN_PARTS_KIND_STORED:
		return stn_revive_stored(array, message, &wire->stored);
	case STN_PARTS_KIND_REVIVE:
		return stn_revive_chosen(array, message, &wire->revive);
	default:
		return stn_revive_take(array, message, &wire->need);
	}
}

static enum stn_err
handle_now(struct stn_parts_service *service, struct stn_parts *array,
	   const struct stn_message *message, struct stn_parts_wire *wire)
{
	enum stn_err err;

	switch (wire->kind) {
	case STN_PARTS_KIND_CREATE:
	case STN_PARTS_KIND_OPERATE:
	case STN_PARTS_KIND_OUTCOME:
	case STN_PARTS_KIND_VERSION:
		err = stn_command_take(service, message, wire);
		if (!err)
			stn_early_retry(service);
		return err;
	case STN_PARTS_KIND_KNOW:
		stn_know_take(service, message, &wire->know);
		return STN_OK;
	case STN_PARTS_KIND_CLEAR:
		stn_depart_clear(service, message->from);
		return STN_OK;
	case STN_PARTS_KIND_NOTED:
		stn_depart_noted(service, &wire->homes);
		return STN_OK;
	case STN_PARTS_KIND_STORED:
	case STN_PARTS_KIND_REVIVE:
	case STN_PARTS_KIND_NEED:
	case STN_PARTS_KIND_REVIVED:
		return handle_revival(service, array, message, wire);
	}
	return handle_of_array(array, message, wire);
}

/* Whether the message begins an operation whose plan is not here yet. */
static bool
lacks_plan(const struct stn_parts *array, const struct stn_parts_wire *wire)
{
	return wire->kind == STN_PARTS_KIND_OPERATE && array && array->cells &&
	       array->scheduling &&
	       (array->cells->plans_due ||
		!stn_plan_is_here(array, &wire->operate));
}

/*
 * Whether a node tells where its parts are before this node knows that it
 * leaves. Until then this node may still give it parts, and must not answer
 * that it won't.
 */
static bool
leaves_early(const struct stn_parts_service *service,
	     const struct stn_message *message)
{
	return message->kind == STN_PARTS_KIND_HOMES &&
	       stn_members_stays(&service->node->members, message->from);
}

static enum stn_err
parts_take(struct stn_parts_service *service, const struct stn_message *message)
{
	struct stn_parts_wire wire;
	struct stn_parts *array;
	enum stn_fate fate;
	enum stn_err err =
		stn_parts_wire_parse(message, &service->program->table, &wire);

	if (err)
		return err;
	array = stn_array_find(service, wire.array);
	fate = stn_fate_of(service, array, &wire);
	if (fate == STN_NOW &&
	    (lacks_plan(array, &wire) || leaves_early(service, message)))
		fate = STN_LATER;
	switch (fate) {
	case STN_NOW:
		return handle_now(service, array, message, &wire);
	case STN_LATER:
		stn_early_keep(service, message);
		break;
	case STN_NEVER:
		if (message->kind == STN_PARTS_KIND_GIVE)
			service->counts.taken++; /* its array is freed */
		stn_early_refuse(service, message);
		break;
	}
	return STN_OK;
}

static enum stn_err
parts_handle(void *state, const struct stn_message *message)
{
	return parts_take(state, message);
}

/* Finds what an earlier run has left on disk. */
static enum stn_err
open_stored(struct stn_parts_service *service, void **state_p,
	    struct stn_why *why)
{
	const struct stn_steal *steal =
		stn_node_state(service->node, &stn_steal_service);

	if (steal->resume &&
	    stn_stored_open(steal->resume, !service->node->rank,
			    &service->stored)) {
		free(service);
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	}
	*state_p = service;
	return STN_OK;
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
	service->handle = parts_take;
	service->finished = stn_command_finished;
	service->report = stn_versions_report;
	service->root = node->members.root;
	service->seat = node->rank;
	service->heir = STN_NOBODY;
	SLIST_INIT(&service->arrays);
	SLIST_INIT(&service->freed);
	STAILQ_INIT(&service->early.queue);
	return open_stored(service, state_p, why);
}

static void
parts_close(void *state)
{
	struct stn_parts_service *service = state;

	while (!SLIST_EMPTY(&service->arrays)) {
		stn_copies_fini(SLIST_FIRST(&service->arrays));
		stn_store_fini(SLIST_FIRST(&service->arrays));
		stn_array_destroy(SLIST_FIRST(&service->arrays));
	}
	while (!SLIST_EMPTY(&service->freed)) {
		stn_copies_fini(SLIST_FIRST(&service->freed));
		stn_store_fini(SLIST_FIRST(&service->freed));
		stn_array_destroy(SLIST_FIRST(&service->freed));
	}
	stn_stored_close(service->stored);
	stn_early_fini(service);
	stn_ready_fini(&service->ready);
	free(service->clear);
	free(service->seats);
	free(service->reported);
	free(service->pieces_to);
	free(service);
}

static bool
parts_has_work(void *state)
{
	const struct stn_parts_service *service = state;

	return service->ready.count;
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

static uint64_t
parts_look_after(void *state, uint64_t now)
{
	struct stn_parts_service *service = state;
	uint64_t copies, scheduler, stored, versions;

	if (!service->used)
		return STN_AT_REST; /* until it has an array */
	if (service->early.due) {
		service->early.due = false;
		stn_early_retry(service);
	}
	copies = stn_second_send(service, now);
	scheduler = stn_scheduler_look_after(service, now);
	stored = stn_store_look_after(service, now);
	versions = stn_versions_look_after(service, now);
	copies = copies < scheduler ? copies : scheduler;
	stored = stored < versions ? stored : versions;
	return copies < stored ? copies : stored;
}

static void
parts_died(void *state, uint32_t rank)
{
	stn_regroup_died(state, rank);
}

static void
parts_notices(void *state)
{
	stn_regroup_notices(state);
}

static void
parts_noticed(void *state, const struct stn_notice *notices, size_t count)
{
	const struct stn_parts_service *service = state;

	stn_regroup_noticed(state, notices, count);
	if (!service->node->began_main)
		stn_again_clock(service);
}

static bool
parts_leave(void *state, bool stop)
{
	(void)stop;
	return stn_depart(state);
}

const struct stn_service stn_parts_service = {
	.name = "parts",
	.kinds = stn_parts_kinds,
	.kind_count = STN_PARTS_KINDS,
	.counts = &stn_parts_counts_table,
	.traced = stn_parts_traced,
	.traced_count = STN_PARTS_TRACED,
	.settings = parts_settings,
	.open = parts_open,
	.close = parts_close,
	.handle = parts_handle,
	.has_work = parts_has_work,
	.work = parts_work,
	.help = parts_work,
	.seek = parts_seek,
	.may_sleep = parts_may_sleep,
	.look_after = parts_look_after,
	.died = parts_died,
	.leave = parts_leave,
	.notices = parts_notices,
	.noticed = parts_noticed,
	.count = stn_parts_count,
};
