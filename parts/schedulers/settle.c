/*
 * settle: a node that runs out of work takes parts from a neighbour, and keeps
 * them. It has no parameters.
 *
 * A node asks the node whose pieces it waits for, because that node is behind.
 * It asks even while it has work: parts in its middle can be swept while parts
 * at its edge wait. It asks when a waiting part is two versions behind the part
 * just swept; among equally fast nodes that does not happen. The answer is
 * as many parts as make both finish a sweep at the same time, at the pace that
 * each of them has measured, or none. A node that gives none because it waits
 * for another one itself names that one, and the asker asks there: so a node at
 * one end of a line of slow nodes finds the one that is behind at its other end.
 *
 * The giver chooses the parts at the end of its range of numbers that faces the
 * asker's range, so that the parts of a node stay neighbours. The next sweeps
 * begin from the new places: where speeds do not change, parts stop moving
 * after a few sweeps.
 */
#include <stdlib.h>

#include "node/dispatch.h"
#include "parts/array.h"
#include "parts/move.h"
#include "parts/ready.h"
#include "parts/scheduler.h"

#define PAUSE_NS 1000000ull /* between questions, if the pace is not known */

#define ASKED_MOST 8 /* nodes along a chain of nodes that wait */
#define AHEAD 2 /* versions between parts of a node, if another is behind */

struct settling {
	bool asking;	    /* an answer is due */
	uint32_t turns;	    /* of parts since the node last looked around */
	uint32_t asked;	    /* nodes, one after the other */
	uint64_t resume_ns; /* no question before this time */
};

/* The time that a part takes on this node, with all its workers; 0: unknown. */
static uint64_t
ns_per_part(const struct stn_parts *array)
{
	const struct stn_pace *pace = &array->pace;

	if (!pace->turns)
		return 0;
	return pace->busy_ns / pace->turns / array->service->node->worker_count;
}

/* The node that has not sent the piece of @place of a part that waits. */
struct search {
	uint32_t victim;
	uint64_t version; /* no part of a higher version is looked at */
};

static bool
has_landed(const struct stn_part *part, uint32_t place)
{
	const struct stn_landing *landing;

	SLIST_FOREACH(landing, &part->landings[part->version & 1], link)
	if (landing->place == place)
		return true;
	return false;
}

static void
look_for_victim(struct stn_part *part, void *arg)
{
	const struct stn_parts *array = part->array;
	uint32_t places = stn_shape_places(&array->shape);
	struct search *search = arg;

	if (search->victim != STN_NOBODY || part->version > search->version ||
	    part->running || stn_part_fresh(part))
		return;
	for (uint32_t place = 0; place < places; place++) {
		struct stn_piece piece;
		uint32_t home;

		if (!stn_shape_needs(&array->shape, part->number, place,
				     &piece) ||
		    has_landed(part, place))
			continue;
		home = stn_array_home(array, piece.from);
		if (home != array->service->node->rank)
			search->victim = home;
	}
}

/*
 * The node for whose pieces a part waits that has at most version @version. A
 * node without parts asks any other.
 */
static uint32_t
choose_victim(struct stn_parts *array, uint64_t version, uint64_t now)
{
	struct search search = { STN_NOBODY, version };

	stn_array_each(array, look_for_victim, &search);
	if (search.victim == STN_NOBODY && !array->here)
		search.victim = stn_array_other(array, now / 1000);
	return search.victim;
}

static struct stn_parts_ask
describe(const struct stn_parts *array)
{
	return (struct stn_parts_ask){ array->id, ns_per_part(array),
				       array->here, STN_NOBODY };
}

static void
ask_node(struct stn_parts *array, uint32_t victim)
{
	struct settling *settling = array->scheduling;
	struct stn_parts_ask ask = describe(array);

	settling->asking = true;
	settling->asked++;
	stn_node_say(array->service->node, victim, STN_PARTS_KIND_ASK, &ask,
		     sizeof(ask));
}

/* Asks for parts if one of at most version @version waits for another node. */
static void
ask_for_parts(struct stn_parts *array, uint64_t version, uint64_t now)
{
	struct settling *settling = array->scheduling;
	uint32_t victim;

	if (settling->asking || now < settling->resume_ns ||
	    array->operation.order.what != STN_PARTS_SWEEPS)
		return;
	victim = choose_victim(array, version, now);
	if (victim == STN_NOBODY)
		return;
	settling->asked = 0;
	ask_node(array, victim);
}

static void
settle_idle(struct stn_parts *array, uint64_t now)
{
	ask_for_parts(array, UINT64_MAX, now);
}

/* Looks around once for each sweep. */
static void
settle_swept(struct stn_part *part)
{
	struct stn_parts *array = part->array;
	struct settling *settling = array->scheduling;

	if (++settling->turns < array->here || part->version < AHEAD)
		return;
	settling->turns = 0;
	ask_for_parts(array, part->version - AHEAD,
		      stn_node_now(array->service->node));
}

/*
 * How many parts to give: both are to need the same time for a sweep. A giver
 * whose pace is that of the asker gives half of the difference.
 */
static uint32_t
count_gifts(const struct stn_parts *array, const struct stn_parts_ask *ask)
{
	double mine = (double)ns_per_part(array);
	double theirs = ask->ns_per_part ? (double)ask->ns_per_part : mine;
	double all = (double)array->here + ask->parts;
	double fair = mine > 0 ? all * mine / (mine + theirs) : 0;
	double gifts = fair - ask->parts;

	if (gifts < 1 || (ask->parts + 1) * theirs >= array->here * mine)
		return 0;
	return gifts < array->here - 1 ? (uint32_t)gifts : array->here - 1;
}

/* The part with the lowest or highest number that can move. */
struct end {
	struct stn_part *part;
	bool highest;
};

static void
look_for_end(struct stn_part *part, void *arg)
{
	struct end *end = arg;

	if (stn_part_can_move(part) &&
	    (!end->part || (part->number > end->part->number) == end->highest))
		end->part = part;
}

/* Whether the parts of node @rank have higher numbers than this node's. */
static bool
lies_behind(const struct stn_parts *array, uint32_t rank)
{
	return rank > array->service->node->rank;
}

static void
settle_asked(struct stn_parts *array, uint32_t from,
	     const struct stn_parts_ask *ask, uint64_t now)
{
	struct stn_parts_ask answer = describe(array);
	uint32_t gifts = count_gifts(array, ask);

	if (!gifts && array->here)
		answer.next = choose_victim(array, UINT64_MAX, now);
	for (; gifts; gifts--) {
		struct end end = { NULL, lies_behind(array, from) };

		stn_array_each(array, look_for_end, &end);
		if (!end.part)
			break;
		stn_part_give(end.part, from);
	}
	stn_node_say(array->service->node, from, STN_PARTS_KIND_NONE, &answer,
		     sizeof(answer));
}

static void
settle_answered(struct stn_parts *array, uint32_t from,
		const struct stn_parts_ask *answer, uint64_t now)
{
	struct settling *settling = array->scheduling;

	const struct stn_node *node = array->service->node;

	if (answer->next < node->topology->nodes && answer->next != from &&
	    answer->next != node->rank &&
	    stn_members_has(&node->members, answer->next) &&
	    settling->asked < ASKED_MOST) {
		ask_node(array, answer->next);
		return;
	}
	settling->asking = false;
	settling->resume_ns =
		now + (answer->ns_per_part ? answer->ns_per_part : PAUSE_NS);
}

static void
settle_regrouped(struct stn_parts *array)
{
	struct settling *settling = array->scheduling;

	settling->asking = false;
}

const struct stn_scheduler stn_scheduler_settle = {
	.name = "settle",
	.help = "idle nodes take parts from slow neighbours, and keep them",
	.state_bytes = sizeof(struct settling),
	.swept = settle_swept,
	.idle = settle_idle,
	.asked = settle_asked,
	.answered = settle_answered,
	.regrouped = settle_regrouped,
};
