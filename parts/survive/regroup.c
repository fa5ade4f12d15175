#include "parts/survive/regroup.h"

#include <stdlib.h>
#include <string.h>

#include "node/membership.h"
#include "parts/array.h"
#include "parts/cells/cells_join.h"
#include "parts/cells/plan.h"
#include "parts/cells/plans.h"
#include "parts/command.h"
#include "parts/early.h"
#include "parts/gather.h"
#include "parts/moves/depart.h"
#include "parts/points.h"
#include "parts/scheduler.h"
#include "parts/survive/copies.h"
#include "parts/survive/copy_holders.h"
#include "parts/survive/know.h"
#include "parts/survive/restore.h"
#include "parts/survive/versions.h"

enum {
	KNOWS = STN_PARTS_KIND_KNOW,
	LOST = STN_PARTS_KIND_CLEAR,
	PUT = STN_PARTS_KIND_ROWS /* the version after a call of STN_CELLS_PUT
				   */
};

/*
 * Bits of KNOWS. Above them is the number of operations that the node knows, and
 * then how many of these it has not begun again, if the root repeats them.
 */
enum {
	FREED = 1,
	GOT = 2,
	REVIVING = 4,
	MADE = 8, /* its caller knows that all nodes have made the array */
	COUNT_AT = 4,
	DUE_AT = 36
};

/* Which nodes know an array. */
struct roll {
	uint32_t *ranks; /* ascending; those that stay, if any does */
	uint32_t nodes;
	bool root_knows, root_freed, root_got, any_freed, any_made;
	bool root_revives; /* not all nodes have their parts from disk yet */
	uint32_t root_count, most; /* operations */
	uint32_t root_begun, most_begun;
	uint64_t root_put;	   /* as PUT says; 0: none */
};

void
stn_regroup_died(struct stn_parts_service *service, uint32_t rank)
{
	struct stn_parts *array;

	if (!stn_depart_is_clear(service, rank))
		service->lost = true;
	SLIST_FOREACH(array, &service->arrays, link)
	array->caller_gone |= stn_history_called(&array->history, rank);
	stn_depart_died(service);
}

static uint64_t
word_of(const struct stn_parts *array)
{
	return (uint64_t)array->id.rank << 32 | array->id.number;
}

/* Whether main runs again on this node, and repeats its calls. */
static bool
repeats_main(const struct stn_parts *array)
{
	const struct stn_parts_service *service = array->service;
	const struct stn_node *node = service->node;

	return node->rank == node->members.root &&
	       node->rank != service->root && array->id.rank == STN_OF_MAIN;
}

/* After a death, an earlier version lacks the records that main has given. */
static void
send_put(const struct stn_parts *array)
{
	const struct stn_history *history = &array->history;
	uint64_t words[2] = { word_of(array), 0 };

	for (uint32_t i = 0; i < stn_history_orders(history); i++)
		if (history->orders[i].order.what == STN_CELLS_PLACE)
			words[1] = history->orders[i].end;
	if (words[1])
		stn_membership_notice(array->service->node, PUT, words, 0);
}

static uint32_t
count_of(const struct stn_notice *notice)
{
	return (uint32_t)(notice->words[1] >> COUNT_AT);
}

static uint32_t
begun_of(const struct stn_notice *notice)
{
	return count_of(notice) - (uint32_t)(notice->words[1] >> DUE_AT);
}

/* How many operations of the history are to be repeated. */
static uint32_t
due_of(const struct stn_parts *array)
{
	uint32_t begun =
		array->restoring ? 0 : array->operation.order.number;

	return begun < array->history.count ? array->history.count - begun : 0;
}

static bool
is_reviving(const struct stn_parts *array)
{
	return array->revived && !array->done && !array->operation.order.number;
}

static bool
is_made(const struct stn_parts *array)
{
	return array->done || array->awaited || array->history.count;
}

static void
send_notices(struct stn_parts *array)
{
	const struct stn_history *history = &array->history;
	uint32_t count = history->count;
	uint64_t words[2] = { word_of(array), 0 };

	if (stn_cells_unlearn(array) || stn_restore_forgets(array) ||
	    (!array->scheduling && !array->restoring))
		return;
	if (array->cells && repeats_main(array)) {
		count = stn_history_closed(history);
		send_put(array);
	}
	if (array->freed)
		words[1] |= FREED;
	if (history->got && history->got <= count)
		words[1] |= GOT;
	if (is_reviving(array))
		words[1] |= REVIVING;
	if (is_made(array))
		words[1] |= MADE;
	words[1] |= (uint64_t)history->count << COUNT_AT |
		    (uint64_t)due_of(array) << DUE_AT;
	array->noticed = history->count;
	stn_membership_notice(array->service->node, KNOWS, words, count);
	stn_copies_notices(array);
	if (!array->restoring)
		stn_gather_begin(array);
}

void
stn_regroup_notices(struct stn_parts_service *service)
{
	struct stn_parts *array;

	service->view = stn_membership_applied(service->node);
	SLIST_FOREACH(array, &service->arrays, link)
	send_notices(array);
	SLIST_FOREACH(array, &service->freed, link)
	send_notices(array);
	if (service->lost && service->used)
		stn_membership_notice(service->node, LOST,
				      (const uint64_t[2]){ 0, 0 }, 0);
}

static bool
is_about(const struct stn_notice *notice, const struct stn_parts *array)
{
	return notice->kind == KNOWS && notice->words[0] == word_of(array);
}

static int
compare_ranks(const void *a, const void *b)
{
	const uint32_t *one = a, *other = b;

	return *one < *other ? -1 : *one > *other;
}

static void
call_roll(const struct stn_parts *array, const struct stn_notice *notices,
	  size_t count, struct roll *roll)
{
	const struct stn_members *members = &array->service->node->members;
	bool all = false;

	for (size_t i = 0; i < count; i++) {
		const struct stn_notice *notice = &notices[i];

		if (!is_about(notice, array))
			continue;
		if (count_of(notice) > roll->most)
			roll->most = count_of(notice);
		if (begun_of(notice) > roll->most_begun)
			roll->most_begun = begun_of(notice);
		roll->any_freed |= notice->words[1] & FREED;
		roll->any_made |= notice->words[1] & MADE;
		if (notice->from != members->root)
			continue;
		roll->root_knows = true;
		roll->root_count = notice->about;
		roll->root_begun = begun_of(notice);
		roll->root_freed = notice->words[1] & FREED;
		roll->root_got = notice->words[1] & GOT;
		roll->root_revives = notice->words[1] & REVIVING;
	}
	for (size_t i = 0; i < count; i++)
		if (notices[i].kind == PUT &&
		    notices[i].words[0] == word_of(array))
			roll->root_put = notices[i].words[1];
	do {
		for (size_t i = 0; i < count; i++)
			if (is_about(&notices[i], array) &&
			    (all ||
			     stn_members_stays(members, notices[i].from)))
				roll->ranks[roll->nodes++] = notices[i].from;
		all = !all;
	} while (!roll->nodes && all);
	qsort(roll->ranks, roll->nodes, sizeof(roll->ranks[0]), compare_ranks);
}

static bool
any_lost(const struct stn_notice *notices, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (notices[i].kind == LOST)
			return true;
	return false;
}

/* Main, which runs again, makes other plans for what the history lacks. */
static void
trim_plans(struct stn_parts *array)
{
	if (array->cells && array->service->new_root)
		stn_plans_trim(array);
}

/* All parts return to the newest version of which each has a copy. */
static void
array_return(struct stn_parts *array, const struct roll *roll,
	     const struct stn_notice *notices, size_t count)
{
	struct stn_homes homes = { 0 };
	uint64_t version = stn_copies_choose(array, notices, count, &homes);

	/* Main gives its records once more. */
	if (version < roll->root_put) {
		homes.count = 0;
		stn_restore(array, 0, &homes, NULL, 0);
		return;
	}
	if (array->noticed > roll->root_count)
		stn_history_cut(&array->history, roll->root_count);
	trim_plans(array);
	stn_restore(array, version, &homes, roll->ranks, roll->nodes);
}

/*
 * Tasks may run again. A task that has made its grids makes them again. But if
 * it has operated on another grid, it would do so a second time.
 */
static void
check_lent(const struct stn_parts *array, bool again)
{
	if (array->lent && !array->freed && (again || array->caller_gone))
		stn_node_fail(
			array->service->node,
			"a node is gone, and a task has used a grid that "
			"another task, or the body of STN_MAIN, has made; "
			"such a run can't go on");
}

/* Whether the node whose task has made the array is gone. */
static bool
maker_gone(const struct stn_parts *array)
{
	return array->id.rank != STN_OF_MAIN &&
	       !stn_caller_lives(array->service->node, array->id.rank);
}

/*
 * Whether main, which runs again, will ask for points as they were before the
 * last operations. Then it makes the array again.
 */
static bool
is_needed_before(const struct stn_parts *array, const struct roll *roll)
{
	return array->service->new_root && roll->root_got &&
	       array->id.rank == STN_OF_MAIN;
}

/* Whether copies and plans of cells are gone that the new root would need. */
static bool
is_freed_elsewhere(const struct stn_parts *array, const struct roll *roll)
{
	return array->cells && roll->any_freed && !roll->root_freed;
}

static void
array_regroup(struct stn_parts *array, const struct roll *roll, bool lost,
	      const struct stn_notice *notices, size_t count)
{
	const struct stn_scheduler *scheduler = array->service->scheduler;
	struct stn_homes nowhere = { 0 };

	check_lent(array, lost || array->service->new_root);
	if (lost && maker_gone(array)) {
		/* Its task makes another one. */
		stn_restore(array, 0, &nowhere, NULL, 0);
		stn_array_set_freed(array, true);
	} else if (!roll->root_knows || !roll->any_made || roll->root_revives ||
		   is_needed_before(array, roll) ||
		   is_freed_elsewhere(array, roll)) {
		stn_restore(array, 0, &nowhere, NULL, 0);
		array->lent = false;
	} else if (roll->root_freed) {
		return;
	} else if (lost || roll->most > roll->root_count ||
		   roll->most_begun > roll->root_begun) {
		array_return(array, roll, notices, count);
	} else {
		trim_plans(array);
		array->regrouped = true;
		if (scheduler->regrouped)
			scheduler->regrouped(array);
	}
}

static void
teach_node(struct stn_parts *array, uint32_t to)
{
	stn_know_send(array, to);
	if (array->cells && !array->freed)
		stn_plan_teach(array, to);
}

/* On the root. */
static void
teach(struct stn_parts *array, const struct stn_notice *notices, size_t count)
{
	const struct stn_node *node = array->service->node;
	uint32_t nodes = node->topology->nodes;
	uint64_t *knows = calloc(nodes / 64 + 1ul, sizeof(knows[0]));

	if (!knows)
		stn_array_no_memory(array);
	stn_versions_regroup(array);
	for (size_t i = 0; i < count; i++)
		if (is_about(&notices[i], array))
			knows[notices[i].from / 64] |= UINT64_C(1)
						       << notices[i].from % 64;
	for (uint32_t i = 0; i < nodes; i++)
		if (i != node->rank && stn_members_has(&node->members, i) &&
		    !(knows[i / 64] >> i % 64 & 1))
			teach_node(array, i);
	free(knows);
	stn_command_again(array);
}

/* All arrays, because they change their lists. The caller frees the memory. */
static struct stn_parts **
list_arrays(const struct stn_parts_service *service, size_t *count_p)
{
	struct stn_parts **list, *array;
	size_t count = 0;

	SLIST_FOREACH(array, &service->arrays, link)
	count++;
	SLIST_FOREACH(array, &service->freed, link)
	count++;
	list = calloc(count + 1, sizeof(list[0]));
	if (!list)
		stn_node_fail(service->node, "out of memory");
	count = 0;
	SLIST_FOREACH(array, &service->arrays, link)
	list[count++] = array;
	SLIST_FOREACH(array, &service->freed, link)
	list[count++] = array;
	*count_p = count;
	return list;
}

static void
regroup_array(struct stn_parts *array, struct roll *roll, bool lost,
	      const struct stn_notice *notices, size_t count)
{
	const struct stn_node *node = array->service->node;

	/* No notice is about an array that was made after the view. */
	if ((!array->scheduling && !array->restoring) ||
	    stn_restore_forgets(array) || stn_array_is_new(array))
		return;
	*roll = (struct roll){ .ranks = roll->ranks };
	call_roll(array, notices, count, roll);
	array_regroup(array, roll, lost, notices, count);
	if (!array->nodes && (array->restoring || !array->scheduling))
		return; /* it is forgotten */
	if (node->rank == node->members.root)
		teach(array, notices, count);
	stn_gather_flush(array);
}

static void
note_view(struct stn_parts_service *service)
{
	uint32_t root = service->node->members.root;

	service->new_root = root != service->root;
	service->root = root;
	service->noticed = service->view;
}

void
stn_regroup_noticed(struct stn_parts_service *service,
		    const struct stn_notice *notices, size_t count)
{
	struct roll roll = { .ranks = calloc(count + 1, sizeof(uint32_t)) };
	bool lost = any_lost(notices, count);
	size_t arrays;
	struct stn_parts **list = list_arrays(service, &arrays);

	if (!roll.ranks)
		stn_node_fail(service->node, "out of memory");
	note_view(service);
	for (size_t i = 0; i < arrays; i++)
		regroup_array(list[i], &roll, lost, notices, count);
	for (size_t i = 0; i < arrays; i++) {
		list[i]->caller_gone = false;
		if (list[i]->freed)
			stn_copies_fini(list[i]);
		stn_command_resend(list[i]);
		stn_points_again(list[i]);
	}
	free(list);
	free(roll.ranks);
	if (lost) {
		free(service->clear);
		service->clear = NULL;
	}
	/* If this node leaves, nodes that have joined don't know that yet. */
	service->departure.told = false;
	service->lost = false;
	stn_early_retry(service);
}
