#include "parts/cells/near.h"

#include <stdlib.h>
#include <string.h>

#include "parts/array.h"
#include "parts/ready.h"

void
stn_near_end(struct stn_parts *array)
{
	stn_cells_drop_copied(array->cells);
	stn_once_clear(&array->cells->once);
}

void
stn_near_begin(struct stn_parts *array)
{
	const struct stn_parts_operate *order = &array->operation.order;
	const struct stn_table *table = &array->service->program->table;
	struct stn_cells *cells = array->cells;
	uint32_t reach;

	stn_near_end(array);
	if (order->what != STN_PARTS_SWEEPS)
		return;
	memcpy(&reach, order->arguments + STN_CELLS_OTHER_AT, sizeof(reach));
	if (!reach || reach > table->count || !cells->tree.parts)
		return;
	cells->reach = table->tasks[reach - 1];
	memcpy(cells->reach_record.arguments, order->arguments,
	       order->argument_bytes);
	cells->copied = calloc(array->count, sizeof(cells->copied[0]));
	if (!cells->copied)
		stn_array_no_memory(array);
	cells->copied_count = array->count;
}

/* The lists of a part, while the tree is walked for it. */
struct listing {
	struct stn_parts *array;
	struct stn_cells_part *known;
	uint32_t part;
};

static int
ask_reach(void *arg, uint32_t part, uint32_t branch)
{
	const struct listing *listing = arg;
	struct stn_cells *cells = listing->array->cells;
	const struct stn_octree *tree = &cells->tree;
	struct stn_reach_at at = { tree->branches[tree->branch_of[part]].cell,
				   tree->branches[branch].cell,
				   STN_REACH_SKIP };

	cells->reach->run(NULL, &cells->reach_record, NULL, &at);
	if (at.value < STN_REACH_SKIP || at.value > STN_REACH_BOTH)
		stn_node_fail(listing->array->service->node,
			      "reach %s has returned %d, which is none of "
			      "STN_REACH_...",
			      cells->reach->name, at.value);
	return at.value;
}

static void
add_to_list(void *arg, uint32_t branch, bool opened)
{
	struct listing *listing = arg;
	struct stn_cells_part *known = listing->known;

	if (known->count == known->room) {
		known->room = 2 * known->room + 64;
		known->lists = reallocarray(known->lists, known->room,
					    sizeof(known->lists[0]));
		if (!known->lists)
			stn_array_no_memory(listing->array);
	}
	known->lists[known->count++] = branch | (opened ? STN_LISTED_NEAR : 0);
}

/* The block of part @number if it is here, or a copy of it. */
static struct stn_block *
block_of(const struct stn_parts *array, uint32_t number)
{
	const struct stn_part *part = stn_array_known(array, number);

	return part && part->here ? part->memory.block
				  : array->cells->copied[number].block;
}

/*
 * The part of which entry @i of the lists needs something: all of it, if the
 * entry is near, or else its brief summary. STN_NOBODY: nothing of a part, as
 * all nodes have the brief summaries of larger cells.
 */
static uint32_t
needed_part(const struct stn_part *part, uint32_t i)
{
	const struct stn_cells *cells = part->array->cells;
	uint32_t entry = part->cells->lists[i];
	const struct stn_branch *branch =
		&cells->tree.branches[entry & ~STN_LISTED_NEAR];

	if (!(entry & STN_LISTED_NEAR) && (!branch->leaf || !cells->briefs))
		return STN_NOBODY;
	return branch->part;
}

/* Whether what entry @i of the lists needs is here. */
static bool
is_seen(const struct stn_part *part, uint32_t i)
{
	const struct stn_cells *cells = part->array->cells;
	uint32_t number = needed_part(part, i);

	return number == STN_NOBODY || block_of(part->array, number) ||
	       (!(part->cells->lists[i] & STN_LISTED_NEAR) &&
		cells->copied[number].store);
}

/*
 * Sets the entry of the next thing that is missing. The search goes on where it
 * ended the last time, because what is here stays here until the turn.
 */
static void
find_missing(struct stn_part *part)
{
	struct stn_cells_part *known = part->cells;
	uint32_t i = known->missing ? known->missing - 1 : 0;

	while (i < known->count && is_seen(part, i))
		i++;
	known->missing = i < known->count ? i + 1 : 0;
}

/* Messages that are to be sent: the parts that are wanted, of any home. */
struct wants {
	struct stn_parts *array;
	uint32_t *parts;
	uint32_t count, room;
};

static void
add_want(struct wants *wants, uint32_t number, bool near)
{
	struct stn_copied *copied = &wants->array->cells->copied[number];

	if (copied->wanted || (!near && copied->brief_wanted))
		return;
	copied->wanted = near;
	copied->brief_wanted = true;
	if (wants->count == wants->room) {
		wants->room = 2 * wants->room + 64;
		wants->parts = reallocarray(wants->parts, wants->room,
					    sizeof(wants->parts[0]));
		if (!wants->parts)
			stn_array_no_memory(wants->array);
	}
	wants->parts[wants->count++] = number | (near ? 0 : STN_WANT_BRIEF);
}

/* Near parts first: they have their brief summaries with them. */
static void
add_wants(struct wants *wants, const struct stn_part *part, bool near)
{
	const struct stn_cells_part *known = part->cells;

	for (uint32_t i = 0; i < known->count; i++)
		if (near == !!(known->lists[i] & STN_LISTED_NEAR) &&
		    !is_seen(part, i))
			add_want(wants, needed_part(part, i), near);
}

static void
list_part(struct stn_part *part, void *arg)
{
	struct wants *wants = arg;
	struct stn_parts *array = part->array;
	struct stn_cells_part *known = stn_cells_of(part);
	struct listing listing = { array, known, part->number };

	if (known->listed == array->operation.order.number ||
	    part->finished == array->operation.order.number)
		return;
	known->listed = array->operation.order.number;
	known->count = 0;
	known->missing = 0;
	stn_octree_walk(&array->cells->tree, part->number, ask_reach,
			add_to_list, &listing);
	find_missing(part);
	if (!known->missing)
		return;
	add_wants(wants, part, true);
	add_wants(wants, part, false);
}

static uint32_t
home_of(const struct stn_parts *array, uint32_t wanted)
{
	return stn_array_home(array, wanted & ~STN_WANT_BRIEF);
}

/* Asks the homes of the parts, one message for each. */
static void
send_wants(const struct wants *wants)
{
	struct stn_parts *array = wants->array;
	uint32_t rank = array->service->node->rank;
	uint32_t left = wants->count;

	while (left) {
		uint32_t home = home_of(array, wants->parts[0]);
		uint32_t *first = wants->parts, kept = 0, asked = 0;
		uint32_t *parts = reallocarray(NULL, left, sizeof(parts[0]));

		if (!parts)
			stn_array_no_memory(array);
		for (uint32_t i = 0; i < left; i++)
			if (home_of(array, first[i]) == home)
				parts[asked++] = first[i];
			else
				first[kept++] = first[i];
		left = kept;
		/* A part that is arriving here will be seen then. */
		if (home != rank)
			stn_near_ask(array, rank, array->operation.order.number,
				     home, parts, asked);
		free(parts);
	}
}

void
stn_near_list(struct stn_parts *array)
{
	struct wants wants = { .array = array };

	if (!array->cells->reach)
		return;
	stn_array_each(array, list_part, &wants);
	send_wants(&wants);
	free(wants.parts);
}

void
stn_near_leave(struct stn_part *part)
{
	struct stn_cells *cells = part->array->cells;
	struct stn_block_head *head = part->memory.block->head;

	if (part->cells) {
		head->cost_ns = part->cells->cost_ns;
		head->cost_task = part->cells->cost_task;
	}

	if (cells->copied && !cells->copied[part->number].block) {
		stn_block_use(part->memory.block);
		cells->copied[part->number].block = part->memory.block;
	}
}

/* What entry @i of the lists sees. */
static struct stn_held
held_of(const struct stn_part *part, uint32_t i)
{
	uint32_t number = needed_part(part, i);
	const struct stn_copied *copied;
	struct stn_held held = { NULL, NULL };

	if (number == STN_NOBODY)
		return held;
	copied = &part->array->cells->copied[number];
	held.block = block_of(part->array, number);
	if (held.block)
		held.brief = held.block->summary;
	else
		held = (struct stn_held){ copied->store, copied->brief };
	if (held.block)
		stn_block_use(held.block);
	return held;
}

void
stn_near_hold(struct stn_part *part)
{
	struct stn_cells_part *known = stn_cells_of(part);

	if (!part->array->cells->reach ||
	    part->array->operation.order.what != STN_PARTS_SWEEPS)
		return;
	known->held =
		reallocarray(NULL, known->count + 1ul, sizeof(known->held[0]));
	if (!known->held)
		stn_array_no_memory(part->array);
	for (uint32_t i = 0; i < known->count; i++)
		known->held[i] = held_of(part, i);
	known->holds = known->count;
}

void
stn_near_release(struct stn_part *part)
{
	struct stn_cells_part *known = part->cells;

	for (uint32_t i = 0; known && i < known->holds; i++)
		stn_block_release(known->held[i].block);
	if (!known)
		return;
	free(known->held);
	known->held = NULL;
	known->holds = 0;
}

static void
consider_waiting(struct stn_part *part, void *arg)
{
	(void)arg;
	if (!part->cells || !part->cells->missing)
		return;
	find_missing(part);
	if (!part->cells->missing)
		stn_part_consider(part);
}

void
stn_near_came(struct stn_parts *array)
{
	if (array->cells->copied)
		stn_array_each(array, consider_waiting, NULL);
}

void
stn_near_arrive(struct stn_part *part)
{
	const struct stn_block_head *head = part->memory.block->head;
	struct stn_cells_part *known = stn_cells_of(part);

	known->cost_ns = head->cost_ns;
	known->cost_task = (uint32_t)head->cost_task;
	stn_near_answer(part);
	stn_near_list(part->array);
	stn_near_came(part->array);
}
