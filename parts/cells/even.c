#include "parts/cells/even.h"

#include <stdlib.h>

#include "node/dispatch.h"
#include "node/sleep.h"
#include "parts/array.h"
#include "parts/moves/move.h"

#define ASKED_MOST 16	    /* nodes in a row that have given nothing */
#define PAUSE_NS 1000000ull /* before a node is asked again that was behind */
#define UNITS 1024	    /* of work, whose time is told */

/* Nodes that have no parts at first refuse as well, and do not count. */
static uint32_t
asked_most(const struct stn_parts *array)
{
	return ASKED_MOST + array->service->spares;
}

/* What is left to be swept on this node. */
struct rest {
	struct stn_part **parts; /* that can move */
	uint32_t count;
	double ns; /* that all need on one worker, also those being swept */
};

/* How long a worker of this node needs for so many units of work; 0: unknown.
 */
static uint64_t
ns_per_units(const struct stn_parts *array)
{
	const struct stn_pace *pace = &array->pace;

	return pace->points ? (uint64_t)((double)pace->busy_ns * UNITS /
					 (double)pace->points)
			    : 0;
}

void
stn_even_begins(struct stn_parts *array)
{
	struct stn_even *even = &array->cells->even;

	*even = (struct stn_even){ .gift_ns = even->gift_ns,
				   .last = array->service->node->rank };
}

void
stn_even_regrouped(struct stn_parts *array)
{
	stn_even_begins(array);
	stn_node_wake(array->service->node);
}

static void
ask(struct stn_parts *array, uint32_t victim, uint64_t now)
{
	struct stn_even *even = &array->cells->even;
	const struct stn_parts_ask question = {
		.array = array->id,
		.ns_per_part = ns_per_units(array),
		.gift_ns = even->gift_ns,
		.lowest = array->version,
		.left = array->service->node->worker_count,
		.parts = array->here,
		.next = array->service->node->rank,
	};

	even->asking = true;
	even->arrived = 0;
	even->asked_ns = now;
	even->last = victim;
	stn_node_say(array->service->node, victim, STN_PARTS_KIND_ASK,
		     &question, sizeof(question));
}

uint64_t
stn_even_idle(struct stn_parts *array, uint64_t now)
{
	struct stn_even *even = &array->cells->even;
	uint32_t victim;

	if (even->asking || even->due || array->unfinished ||
	    array->service->node->leaving ||
	    even->refused >= asked_most(array) ||
	    array->operation.order.what != STN_PARTS_SWEEPS)
		return STN_FOREVER;
	if (now < even->resume_ns)
		return even->resume_ns;
	victim = stn_array_other(array, even->last + 1ull);
	if (victim == STN_NOBODY)
		return STN_FOREVER;
	ask(array, victim, now);
	return STN_FOREVER;
}

/* The time that the part is expected to take on a worker of this node. */
static double
cost_of(const struct stn_part *part)
{
	const struct stn_parts *array = part->array;
	const struct stn_cells_part *known = part->cells;
	const struct stn_even *even = &array->cells->even;
	double records = (double)part->memory.block->head->count;

	if (known && known->cost_ns &&
	    known->cost_task == array->operation.order.task_id)
		return (double)known->cost_ns;
	return even->records
		       ? records * (double)even->busy_ns / (double)even->records
		       : records;
}

static void
add_rest(struct stn_part *part, void *arg)
{
	struct rest *rest = arg;

	if (part->finished == part->array->operation.order.number)
		return;
	if (part->running) {
		rest->ns += cost_of(part) / 2;
		return;
	}
	rest->ns += cost_of(part);
	if (stn_part_can_move(part))
		rest->parts[rest->count++] = part;
}

/* The part that this node would sweep last comes first. */
static int
compare_parts(const void *a, const void *b)
{
	const struct stn_part *const *one = a, *const *other = b;

	return (*one)->number < (*other)->number   ? 1
	       : (*one)->number > (*other)->number ? -1
						   : 0;
}

/* How much of the rest the asker would do if both finished at the same time. */
static double
share_of(const struct stn_parts *array, const struct stn_parts_ask *question,
	 const struct rest *rest)
{
	double mine = (double)ns_per_units(array);
	double theirs = (double)question->ns_per_part;
	double workers = array->service->node->worker_count;
	double speed = (double)(question->left + !question->left);

	if (rest->ns / workers <= (double)question->gift_ns)
		return 0;
	if (mine > 0 && theirs > 0)
		speed *= mine / theirs;
	return rest->ns * speed / (speed + workers);
}

static uint32_t
give_share(struct stn_parts *array, uint32_t to,
	   const struct stn_parts_ask *question)
{
	struct rest rest = { reallocarray(NULL, array->here + 1ul,
					  sizeof(rest.parts[0])),
			     0, 0 };
	double share, given = 0;
	uint32_t count = 0;

	if (!rest.parts)
		stn_array_no_memory(array);
	stn_array_each(array, add_rest, &rest);
	qsort(rest.parts, rest.count, sizeof(rest.parts[0]), compare_parts);
	share = share_of(array, question, &rest);
	for (uint32_t i = 0; i < rest.count; i++) {
		double cost = cost_of(rest.parts[i]);

		if (given + cost / 2 >= share)
			continue; /* a later one may be smaller */
		given += cost;
		stn_part_give(rest.parts[i], to);
		count++;
	}
	free(rest.parts);
	return count;
}

void
stn_even_asked(struct stn_parts *array, uint32_t from,
	       const struct stn_parts_ask *question)
{
	const struct stn_node *node = array->service->node;
	struct stn_parts_ask answer = { .array = array->id,
					.next = STN_NOBODY };

	/* This node has not begun the sweep yet. */
	answer.left = question->lowest > array->version;
	if (question->lowest == array->version && array->unfinished &&
	    array->operation.order.what == STN_PARTS_SWEEPS && !node->leaving &&
	    stn_members_stays(&node->members, from))
		answer.gifts = give_share(array, from, question);
	stn_node_say(array->service->node, from, STN_PARTS_KIND_NONE, &answer,
		     sizeof(answer));
}

void
stn_even_answered(struct stn_parts *array, uint32_t from,
		  const struct stn_parts_ask *answer, uint64_t now)
{
	struct stn_even *even = &array->cells->even;

	if (!even->asking || from != even->last)
		return;
	even->asking = false;
	even->due = answer->gifts > even->arrived
			    ? answer->gifts - even->arrived
			    : 0;
	if (answer->gifts)
		even->refused = 0;
	else if (answer->left)
		even->resume_ns = now + PAUSE_NS;
	else
		even->refused++;
	/* Each other node has been asked. */
	if (even->refused + 1 >= array->service->node->members.living)
		even->refused = asked_most(array);
	stn_node_wake(array->service->node);
}

void
stn_even_arrived(struct stn_parts *array, uint64_t now)
{
	struct stn_even *even = &array->cells->even;

	even->due -= even->due > 0;
	even->arrived++;
	if (even->asked_ns)
		even->gift_ns = (now - even->asked_ns) / even->arrived;
}
