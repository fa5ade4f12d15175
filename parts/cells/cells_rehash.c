/*
 * cells_rehash.c: the calls that cut cells: STN_REHASH and STN_CELLS_PUT. Each
 * is a sequence of operations: see cells.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "node/progress.h"
#include "parts/array.h"
#include "parts/calls.h"
#include "parts/cells/cells.h"
#include "parts/cells/cells_calls.h"
#include "parts/cells/cells_homes.h"
#include "parts/cells/give.h"
#include "parts/cells/rows.h"
#include "parts/cells/sort.h"
#include "steal/virtual_cost.h"

#define HASH_FACTOR UINT64_C(0x9e3779b97f4a7c15)

/* The cube around all records; ends the run if one has no place. */
static struct stn_cube
cube_of_box(const struct stn_parts *array, const double box[8])
{
	const double low[3] = { box[0], box[1], box[2] };
	const double high[3] = { -box[3], -box[4], -box[5] };
	struct stn_cube cube = stn_cube_around(low, high);

	if (box[6] < 0 || !isfinite(cube.width))
		stn_node_fail(array->service->node,
			      "the place of a record of cells is no finite "
			      "number, or too far away");
	return array->cells->across
		       ? stn_cube_divide(cube, array->cells->across)
		       : cube;
}

static struct stn_cube
find_cube(struct stn_frame *frame, struct stn_parts *array)
{
	double box[8] = { HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL,
			  HUGE_VAL, HUGE_VAL, 0,	0 };

	stn_cells_operate(frame, array, STN_CELLS_BOX,
			  (struct stn_cells_order){ 0 });
	if (array->cells->result.size == sizeof(box))
		memcpy(box, array->cells->result.bytes, sizeof(box));
	return cube_of_box(array, box);
}

/* One round of a cut: all nodes count for the questions. */
static enum stn_err
ask_counts(struct stn_frame *frame, struct stn_parts *array,
	   const struct stn_cube *cube, struct stn_cut *cut)
{
	size_t bytes = cut->bins * sizeof(uint64_t);
	uint64_t *counts = calloc(1, bytes);
	enum stn_err err;

	if (!counts)
		return STN_NO_MEMORY;
	stn_cells_plan(frame, array, STN_CELLS_COUNT, cube, cut->questions,
		       cut->count * sizeof(cut->questions[0]));
	if (array->cells->result.size == bytes)
		memcpy(counts, array->cells->result.bytes, bytes);
	err = stn_cut_answer(cut, counts);
	free(counts);
	return err;
}

static void
choose_homes(const struct stn_parts *array, const struct stn_cut *cut)
{
	struct stn_node *node = array->service->node;

	stn_node_enter(node);
	stn_cells_choose_homes(array, cut->leaves, cut->leaf_count,
			       array->cells->records);
	stn_node_leave(node);
}

/* The parts are replaced by those of the newest plan. */
static void
join_parts(struct stn_frame *frame, struct stn_parts *array, uint32_t plan)
{
	const struct stn_cells_order argument = { .plan = plan };

	stn_cells_operate(frame, array, STN_CELLS_JOIN, argument);
}

/* An operation of a cut that main has called before as a whole. */
static void
pass_one(struct stn_frame *frame, struct stn_parts *array, uint8_t what)
{
	if (!stn_cells_pass(frame, array, what, NULL))
		stn_node_fail(array->service->node,
			      "a cut of cells is incomplete in the history; "
			      "please report that");
}

void
stn_cells_rehash(struct stn_frame *frame, struct stn_parts *array)
{
	uint64_t records;
	struct stn_cube cube;
	struct stn_cut cut;
	enum stn_err err;
	uint32_t plan;

	stn_cells_check(frame, array, 0);
	if (stn_cells_pass(frame, array, STN_CELLS_BOX, NULL)) {
		while (stn_cells_pass(frame, array, STN_CELLS_COUNT, NULL))
			;
		pass_one(frame, array, STN_CELLS_SPLIT);
		pass_one(frame, array, STN_CELLS_JOIN);
		return;
	}
	records = array->cells->records;
	cube = find_cube(frame, array);
	err = stn_cut_begin(&cut, records, array->cells->most);
	while (!err && cut.count)
		err = ask_counts(frame, array, &cube, &cut);
	if (err)
		stn_array_no_memory(array);
	choose_homes(array, &cut);
	plan = stn_cells_plan(frame, array, STN_CELLS_SPLIT, &cube, cut.leaves,
			      cut.leaf_count * sizeof(cut.leaves[0]));
	stn_cut_fini(&cut);
	join_parts(frame, array, plan);
}

static const void *
place_at(const struct stn_parts *array, const struct stn_given *given,
	 uint64_t i)
{
	return given->records + i * array->cells->record + array->cells->place;
}

/*
 * Versions on disk depend on the records that main gives. Only their places are
 * hashed, because the rest may have bytes that aren't defined. When main runs
 * again, the array may have been freed since its first run, and is not written
 * any more: the hash must be the same.
 */
static uint64_t
hash_places(const struct stn_parts *array, const struct stn_given *given)
{
	uint64_t hash = 0, words[3];

	if (!(array->create.copied & STN_COPIED_TO_DISK) &&
	    !array->service->stored)
		return 0;
	for (uint64_t i = 0; i < given->count; i++) {
		memcpy(words, place_at(array, given, i), sizeof(words));
		for (int d = 0; d < 3; d++) {
			hash = (hash ^ words[d]) * HASH_FACTOR;
			hash ^= hash >> 29;
		}
	}
	return hash;
}

/* The cube around all records that are given. */
static struct stn_cube
cube_of_given(const struct stn_parts *array, const struct stn_given *given)
{
	double box[8] = { HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL,
			  HUGE_VAL, HUGE_VAL, 0,	0 };
	double place[3];

	for (uint64_t i = 0; i < given->count; i++) {
		memcpy(place, place_at(array, given, i), sizeof(place));
		for (int d = 0; d < 3; d++) {
			box[d] = fmin(box[d], place[d]);
			box[3 + d] = fmin(box[3 + d], -place[d]);
			box[6] = isfinite(place[d]) ? box[6] : -1;
		}
	}
	return cube_of_box(array, box);
}

static struct stn_cube
sort_given(const struct stn_parts *array, struct stn_given *given)
{
	struct stn_cube cube = cube_of_given(array, given);
	double place[3];

	given->keys = reallocarray(NULL, given->count + 1,
				   sizeof(struct stn_record_key));
	given->order = reallocarray(NULL, given->count + 1, sizeof(uint32_t));
	if (!given->keys || !given->order)
		stn_array_no_memory(array);
	for (uint64_t i = 0; i < given->count; i++) {
		memcpy(place, place_at(array, given, i), sizeof(place));
		given->keys[i] =
			(struct stn_record_key){ stn_morton(&cube, place), i };
	}
	if (stn_keys_sort(given->keys, given->order, given->count))
		stn_array_no_memory(array);
	return cube;
}

static void
cut_given(const struct stn_parts *array, const struct stn_given *given,
	  struct stn_cut *cut)
{
	enum stn_err err = stn_cut_begin(cut, given->count, array->cells->most);

	while (!err && cut->count) {
		uint64_t *counts = calloc(cut->bins, sizeof(counts[0]));

		if (!counts)
			stn_array_no_memory(array);
		stn_questions_count(cut->questions, cut->count, given->keys,
				    given->count, counts);
		err = stn_cut_answer(cut, counts);
		free(counts);
	}
	if (err)
		stn_array_no_memory(array);
	choose_homes(array, cut);
}

/*
 * Main runs again, and gives records that the copies have, too. They are kept in
 * case all copies of a part are lost.
 */
static void
keep_again(struct stn_frame *frame, struct stn_parts *array,
	   struct stn_given *given)
{
	struct stn_node *node = stn_owner_of(frame->deque)->node;
	const struct stn_order *order;
	uint32_t serial;

	if (!array->copies.wanted || !stn_given_small(array->cells))
		return;
	stn_node_enter(node);
	order = stn_history_order(&array->history, array->called);
	serial = order ? stn_cells_plan_of(&order->order) : 0;
	given->end = order ? order->end : 0;
	stn_node_leave(node);
	if (!serial)
		return;
	given->sent = true;
	sort_given(array, given);
	stn_node_enter(node);
	if (stn_given_keep(array, given, serial))
		stn_array_no_memory(array);
	/* Main may repeat many calls before another version is complete. */
	stn_given_drop(array, array->copies.complete);
	stn_node_leave(node);
}

/* The records if the caller is to send them. */
static struct stn_given *
find_unsent(struct stn_frame *frame, struct stn_parts *array, uint32_t serial)
{
	struct stn_node *node = stn_owner_of(frame->deque)->node;
	struct stn_given *given;

	stn_node_enter(node);
	given = stn_given_find(array->cells, serial);
	if (given && given->sent)
		given = NULL;
	stn_node_leave(node);
	return given;
}

static void
send_given(struct stn_frame *frame, struct stn_parts *array, uint32_t serial)
{
	struct stn_owner *owner = stn_owner_of(frame->deque);
	struct stn_parcels parcels = SLIST_HEAD_INITIALIZER(parcels);
	struct stn_given *given;

	stn_cells_hold(frame, array);
	given = find_unsent(frame, array, serial);
	if (given)
		stn_give_pack(array, given, &parcels);
	stn_computed(owner, 0);
	stn_node_enter(owner->node);
	/* If the parts are to return, the root repeats PLACE after that. */
	if (given && !array->restoring) {
		given->sent = true;
		stn_rows_send(array, &parcels);
	}
	stn_cells_drop_parcels(&parcels);
	stn_node_leave(owner->node);
	stn_computes(owner);
	stn_cells_let_go(frame, array);
}

/* Sorts the records, cuts them, and keeps them. Returns the plan's serial. */
static uint32_t
plan_given(struct stn_frame *frame, struct stn_parts *array,
	   struct stn_given *given)
{
	struct stn_node *node = stn_owner_of(frame->deque)->node;
	struct stn_cube cube = sort_given(array, given);
	struct stn_cut cut;
	uint32_t plan;

	cut_given(array, given, &cut);
	plan = stn_cells_issue(frame, array, STN_CELLS_PLACE, &cube, cut.leaves,
			       cut.leaf_count * sizeof(cut.leaves[0]));
	stn_cut_fini(&cut);
	stn_node_enter(node);
	if (stn_given_keep(array, given, plan))
		stn_array_no_memory(array);
	stn_node_leave(node);
	return plan;
}

/* The caller cuts the records, and sends them as a part does that is split. */
void
stn_cells_put(struct stn_frame *frame, struct stn_parts *array, uint32_t record,
	      const void *from)
{
	struct stn_given given = { .records = from };
	struct stn_cells_order argument = { 0 };
	struct stn_node *node = stn_owner_of(frame->deque)->node;

	stn_cells_check(frame, array, record);
	given.count = array->cells->records;
	argument.first = hash_places(array, &given);
	if (stn_cells_pass(frame, array, STN_CELLS_PLACE, &argument)) {
		keep_again(frame, array, &given);
		pass_one(frame, array, STN_CELLS_JOIN);
		return;
	}
	if (given.count > UINT32_MAX)
		stn_node_fail(node, "STN_CELLS_PUT copies at most 2^32 - 1 "
				    "records");
	argument.plan = plan_given(frame, array, &given);
	stn_cells_operate(frame, array, STN_CELLS_PLACE, argument);
	send_given(frame, array, argument.plan);
	join_parts(frame, array, argument.plan);
	stn_node_enter(node);
	stn_given_over(array, argument.plan);
	stn_node_leave(node);
}
