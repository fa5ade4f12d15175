/*
 * settle: a node that runs out of work takes parts from a neighbour, and keeps
 * them. It has no parameters.
 *
 * A node asks the node whose pieces it waits for, because that node is behind.
 * It asks even while it has work: parts in its middle can be swept while parts
 * at its edge wait. It asks when a waiting part is two versions behind the part
 * just swept; among equally fast nodes that does not happen. A node that gives
 * none because it waits for another one itself names that one, and the asker
 * asks there: so a node at one end of a line of slow nodes finds the one that
 * is behind at its other end.
 *
 * The answer is as many parts as make both nodes finish the next sweeps at the
 * same time: from the versions that their parts have, at the pace that each of
 * them has measured, and counting how long gifts have been on their way to the
 * asker. So a node whose fair share is two and a half parts has two of them for
 * some time, gets ahead, and then has three. Where speeds do not change, other
 * parts stop moving after a few sweeps.
 *
 * While no node can give parts, the pauses between questions grow up to the
 * time of a sweep.
 *
 * A node gives its last part only if the asker finishes much earlier with it,
 * because then it does not know its pace any more. It tries one part again from
 * time to time, so rarely that this costs at most a hundredth of the time.
 *
 * The parts of cells do not wait for each other: see even.h.
 */
#include <stdlib.h>

#include "node/dispatch.h"
#include "node/sleep.h"
#include "parts/array.h"
#include "parts/cells/even.h"
#include "parts/moves/awaited.h"
#include "parts/moves/bargain.h"
#include "parts/moves/gifts.h"
#include "parts/moves/move.h"
#include "parts/scheduler.h"

#define PAUSE_NS 1000000ull /* between questions, if the pace is not known */

#define SELDOM_NS 50000000ull /* if there is no node to ask */

#define ASKED_MOST 8 /* nodes along a chain of nodes that wait */
#define AHEAD 2 /* versions between parts of a node, if another is behind */
/* A node without parts tries one after so many times as a part took here. */
#define TRIAL_PARTS 100

struct settling {
	bool asking;	  /* an answer is due */
	uint32_t due;	  /* gifts that are on their way */
	uint32_t arrived; /* gifts since the question */
	uint32_t turns;	  /* of parts since the node last looked around */
	uint32_t place;	  /* around a part, that was looked at last */
	uint32_t depth;	  /* of the chain; the last one is asked */
	uint32_t chain[ASKED_MOST];
	bool back;	    /* gifts are on their way along the chain */
	uint64_t asked_ns;  /* when the question left */
	uint64_t gift_ns;   /* what a gift needs for its way; 0: unknown */
	uint64_t pause_ns;  /* after the last question without gifts */
	uint64_t resume_ns; /* no question before this time */

	struct stn_parts_ask wish; /* for the last part, which is running */
	uint32_t wisher;	   /* or STN_NOBODY */
	uint32_t heir;		   /* the node with the last part; STN_NOBODY */
	uint64_t left_ns;	   /* when it left */
	bool trying;		   /* the part here has not been swept yet */
	uint64_t swept_ns;	   /* of the pace, when it came */
	struct stn_usage usage;	   /* of the workers */
};

/*
 * The node that is to be asked first, or STN_NOBODY. A node without parts asks
 * the one that has got its last part, or any other.
 */
static uint32_t
choose_victim(struct stn_parts *array, uint64_t version, uint64_t now,
	      bool tries)
{
	struct settling *settling = array->scheduling;

	if (array->here)
		return stn_awaited_node(array, version, &settling->place);
	if (tries &&
	    stn_members_stays(&array->service->node->members, settling->heir))
		return settling->heir;
	return stn_array_other(array, now / 1000);
}

/*
 * Asks the last node of the chain for parts: for @gifts, or, if that is 0, for
 * as many as it chooses. They are for the node before it in the chain.
 */
static void
ask_chain(struct stn_parts *array, uint32_t gifts)
{
	struct settling *settling = array->scheduling;
	struct stn_node *node = array->service->node;
	struct stn_progress progress = stn_progress_of(array);
	uint32_t last = settling->depth - 1;
	struct stn_parts_ask ask = {
		.array = array->id,
		.ns_per_part = stn_ns_per_part(array),
		.gift_ns = settling->gift_ns,
		.lowest = progress.lowest,
		.left = progress.left,
		.parts = array->here,
		.next = last ? settling->chain[last - 1] : node->rank,
		.gifts = gifts,
	};

	settling->asking = true;
	settling->arrived = 0;
	settling->asked_ns = stn_node_now(node);
	stn_node_say(node, settling->chain[last], STN_PARTS_KIND_ASK, &ask,
		     sizeof(ask));
}

/*
 * Whether this node has had no part for so long that it tries whether it is
 * still as slow as it was.
 */
static bool
is_trial_due(const struct stn_parts *array, uint64_t now)
{
	const struct settling *settling = array->scheduling;

	return !array->here && settling->heir != STN_NOBODY &&
	       now - settling->left_ns > TRIAL_PARTS * stn_ns_per_part(array);
}

/*
 * Asks for parts if one of at most version @version waits for another node.
 * Returns when to try again, unless a message arrives before.
 */
static uint64_t
ask_for_parts(struct stn_parts *array, uint64_t version, uint64_t now)
{
	struct settling *settling = array->scheduling;
	bool tries = is_trial_due(array, now);
	uint32_t victim;

	if (settling->asking || settling->due ||
	    array->operation.order.what != STN_PARTS_SWEEPS)
		return STN_FOREVER;
	if (now < settling->resume_ns)
		return settling->resume_ns;
	victim = choose_victim(array, version, now, tries);
	if (victim == STN_NOBODY)
		return now + SELDOM_NS;
	settling->depth = 1;
	settling->chain[0] = victim;
	settling->back = false;
	ask_chain(array, tries);
	return STN_FOREVER;
}

static void
settle_created(struct stn_parts *array)
{
	struct settling *settling = array->scheduling;

	settling->wisher = STN_NOBODY;
	settling->heir = STN_NOBODY;
}

static void
settle_begins(struct stn_parts *array)
{
	struct settling *settling = array->scheduling;

	if (array->cells)
		stn_even_begins(array);
	settling->asking = false;
	settling->due = 0;
	settling->pause_ns = 0;
	settling->resume_ns = 0;
	settling->wisher = STN_NOBODY;
	stn_usage_begin(&settling->usage, array);
}

static uint64_t
settle_idle(struct stn_parts *array, uint64_t now)
{
	struct settling *settling = array->scheduling;

	if (array->cells)
		return stn_even_idle(array, now);
	stn_usage_wait(&settling->usage, now);
	return ask_for_parts(array, UINT64_MAX, now);
}

static void
settle_arrived(struct stn_part *part)
{
	struct settling *settling = part->array->scheduling;
	uint64_t now = stn_node_now(part->array->service->node);

	if (part->array->cells) {
		stn_even_arrived(part->array, now);
		return;
	}
	settling->due -= settling->due > 0;
	settling->arrived++;
	if (settling->asking)
		settling->gift_ns =
			(now - settling->asked_ns) / settling->arrived;
	if (part->array->here == 1 && part->array->pace.turns) {
		settling->trying = true;
		settling->swept_ns = part->array->pace.swept_ns;
	}
}

static uint32_t
give_parts(struct stn_parts *array, uint32_t to, uint32_t count)
{
	struct settling *settling = array->scheduling;
	uint32_t given = stn_gifts_give(array, to, count);

	if (given && !array->here) {
		settling->heir = to;
		settling->left_ns = stn_node_now(array->service->node);
	}
	return given;
}

/* The first part after a time without parts: the former pace is of no use. */
static void
end_trial(struct stn_parts *array)
{
	struct settling *settling = array->scheduling;
	struct stn_pace *pace = &array->pace;

	if (pace->swept_ns == settling->swept_ns)
		return;
	settling->trying = false;
	pace->busy_ns = pace->swept_ns - settling->swept_ns;
	pace->turns = 1;
}

/* Gives the last part to the node that has asked for it while it was swept. */
static void
grant_wish(struct stn_part *part)
{
	struct stn_parts *array = part->array;
	struct settling *settling = array->scheduling;
	uint32_t to = settling->wisher;

	settling->wisher = STN_NOBODY;
	if (array->here == 1 && stn_part_can_move(part) &&
	    stn_members_stays(&array->service->node->members, to) &&
	    stn_bargain(array, &settling->usage, &settling->wish,
			!settling->trying))
		give_parts(array, to, 1);
}

/* Looks around once for each sweep. */
static void
settle_swept(struct stn_part *part)
{
	struct stn_parts *array = part->array;
	struct settling *settling = array->scheduling;

	if (array->cells)
		return;
	stn_usage_note(&settling->usage, array);
	if (settling->trying)
		end_trial(array);
	if (settling->wisher != STN_NOBODY)
		grant_wish(part);
	if (++settling->turns < array->here || part->version < AHEAD)
		return;
	settling->turns = 0;
	ask_for_parts(array, part->version - AHEAD,
		      stn_node_now(array->service->node));
}

static void
settle_asked(struct stn_parts *array, uint32_t from,
	     const struct stn_parts_ask *ask, uint64_t now)
{
	const struct stn_node *node = array->service->node;
	struct settling *settling = array->scheduling;
	struct stn_parts_ask answer = {
		.array = array->id,
		.ns_per_part = stn_ns_per_part(array),
		.next = STN_NOBODY,
	};

	uint32_t count, to = ask->next;

	(void)now;
	if (array->cells) {
		stn_even_asked(array, from, ask);
		return;
	}
	count = ask->gifts ? ask->gifts
			   : stn_bargain(array, &settling->usage, ask,
					 !settling->trying);
	if (to >= node->topology->nodes || to == node->rank ||
	    !stn_members_stays(&node->members, to))
		to = from;
	if (ask->gifts && count >= array->here)
		count = array->here ? array->here - 1 : 0;
	if (!array->restoring && stn_members_stays(&node->members, to))
		answer.gifts = give_parts(array, to, count);
	if (count && array->here == 1 && !answer.gifts) {
		settling->wish = *ask;
		settling->wisher = to;
	}
	if (!answer.gifts && array->here)
		answer.next =
			stn_awaited_node(array, UINT64_MAX, &settling->place);
	answer.parts = array->here;
	stn_node_say(array->service->node, from, STN_PARTS_KIND_NONE, &answer,
		     sizeof(answer));
}

/* How long to wait after a question: twice as long as after the last one. */
static uint64_t
next_pause(const struct settling *settling, const struct stn_parts_ask *answer)
{
	uint64_t part_ns = answer->ns_per_part ? answer->ns_per_part : PAUSE_NS;
	uint64_t most = part_ns * (answer->parts + 1ull);
	uint64_t pause = 2 * settling->pause_ns;

	return pause < part_ns ? part_ns : pause < most ? pause : most;
}

/*
 * The node after the last one of the chain, as that one has answered;
 * STN_NOBODY if there is none, or the chain would become a circle.
 */
static uint32_t
next_of_chain(const struct stn_parts *array, const struct stn_parts_ask *answer)
{
	const struct settling *settling = array->scheduling;
	const struct stn_node *node = array->service->node;

	if (answer->gifts || settling->back ||
	    answer->next >= node->topology->nodes ||
	    answer->next == node->rank ||
	    !stn_members_has(&node->members, answer->next) ||
	    settling->depth == ASKED_MOST)
		return STN_NOBODY;
	for (uint32_t i = 0; i < settling->depth; i++)
		if (settling->chain[i] == answer->next)
			return STN_NOBODY;
	return answer->next;
}

static void
settle_answered(struct stn_parts *array, uint32_t from,
		const struct stn_parts_ask *answer, uint64_t now)
{
	struct settling *settling = array->scheduling;
	uint32_t next;

	if (array->cells) {
		stn_even_answered(array, from, answer, now);
		return;
	}
	next = next_of_chain(array, answer);
	if (!settling->asking || from != settling->chain[settling->depth - 1])
		return;
	if (next != STN_NOBODY) {
		settling->chain[settling->depth++] = next;
		ask_chain(array, 0);
		return;
	}
	if (answer->gifts && settling->depth > 1) {
		settling->depth--;
		settling->back = true;
		ask_chain(array, answer->gifts);
		return;
	}
	settling->asking = false;
	settling->due = answer->gifts > settling->arrived
				? answer->gifts - settling->arrived
				: 0;
	settling->pause_ns = answer->gifts ? 0 : next_pause(settling, answer);
	settling->resume_ns = now + settling->pause_ns;
	stn_node_wake(array->service->node);
}

static void
settle_regrouped(struct stn_parts *array)
{
	struct settling *settling = array->scheduling;

	settling->asking = false;
	settling->due = 0;
	settling->wisher = STN_NOBODY;
	if (array->cells)
		stn_even_regrouped(array);
	stn_node_wake(array->service->node);
}

const struct stn_scheduler stn_scheduler_settle = {
	.name = "settle",
	.help = "idle nodes take parts from slow neighbours, and keep them",
	.state_bytes = sizeof(struct settling),
	.created = settle_created,
	.begins = settle_begins,
	.swept = settle_swept,
	.arrived = settle_arrived,
	.idle = settle_idle,
	.asked = settle_asked,
	.answered = settle_answered,
	.regrouped = settle_regrouped,
	.evens_cells = true,
	.resident = true,
};
