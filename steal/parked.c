/*
 * parked.c: the parked requests. Unless the balancer has its own rule, a
 * request waits for a spawn: instead of refusing it, so that the thief pauses,
 * the victim keeps it for the time of that pause, and the next spawn answers
 * it. So a spawned call can start on another node one message later. If the
 * balancer says so, requests wait also for the end of a search on their behalf.
 *
 * A worker that spawns does not wait for the net lock. If another thread holds
 * the lock, that thread looks at the deques before it goes to sleep. If it
 * finds nothing, the request is refused when its time is over.
 */
#include "steal/parked.h"

#include <stdlib.h>

#include "node/progress.h"
#include "steal/loan.h"
#include "steal/steal.h"
#include "steal/victim.h"
#include "steal/wire.h"

#define ROOM 4		 /* parked requests, at first */
#define SOON_NS 20000ull /* from taking a record to its first spawn */

/* May a request wait for which there is no record now? */
static bool
may_wait(struct stn_steal *steal, const struct stn_parked *parked)
{
	/* A node that leaves does not search, and gets no work. */
	if (steal->node->stopping || steal->node->leaving)
		return false;
	if (steal->deciding.balancer->waits)
		return stn_decide_waits(steal, parked->from);
	return stn_node_now(steal->node) < parked->until_ns;
}

/* Most nodes never have more than a few parked requests. */
static void
parked_grow(struct stn_steal *steal)
{
	struct stn_parked_list *parked = &steal->parked;

	parked->room = parked->room ? 2 * parked->room : ROOM;
	parked->all =
		reallocarray(parked->all, parked->room, sizeof(parked->all[0]));
	if (!parked->all)
		stn_node_fail(steal->node, "out of memory");
	if (parked->room == ROOM)
		stn_node_hint(steal->node, parked->all,
			      ROOM * sizeof(parked->all[0]));
}

static bool
park(struct stn_steal *steal, const struct stn_parked *thief)
{
	uint32_t count = steal->parked.count;

	if (count == STN_PARKED_MOST || !may_wait(steal, thief))
		return false;
	if (count == steal->parked.room)
		parked_grow(steal);
	steal->parked.all[count] = *thief;
	if (steal->deciding.balancer->waits)
		steal->parked.all[count].until_ns = STN_FOREVER;
	/*
	 * The count, then the fence, then the limits. Pairs with the fence in
	 * announce (spawn.c): see stn_parked_spawned.
	 */
	steal->parked.count = count + 1;
	atomic_thread_fence(memory_order_seq_cst);
	for (uint32_t i = 0; i < steal->node->worker_count; i++)
		stn_deque_lower(&steal->owners[i].deque);
	return true;
}

void
stn_parked_ask(struct stn_steal *steal, uint32_t from,
	       const struct stn_wire_request *request)
{
	struct stn_parked thief = {
		.from = from,
		.number = request->number,
		.until_ns =
			stn_node_now(steal->node) +
			(request->patience_us & ~STN_REQUEST_BOUND) * 1000ull,
		.bound = request->patience_us & STN_REQUEST_BOUND,
		.seen = request->seen,
	};

	if (!stn_victim_grant(steal, &thief) && !park(steal, &thief))
		stn_victim_refuse(steal, &thief);
}

/*
 * Answers the request if it can be granted, or if it must not wait any longer;
 * @over: the search for it has ended. Returns whether it was answered.
 */
static bool
parked_answer(struct stn_steal *steal, struct stn_parked *parked, bool over)
{
	if (stn_victim_grant(steal, parked))
		return true;
	if (!over && may_wait(steal, parked))
		return false;
	stn_victim_refuse(steal, parked);
	return true;
}

/*
 * Answers the requests that can or must be answered. Returns when the next one
 * must be.
 */
static uint64_t
answer_all(struct stn_steal *steal, bool over)
{
	uint32_t kept = 0, count = steal->parked.count;
	uint64_t next = STN_FOREVER;

	for (uint32_t i = 0; i < count; i++) {
		struct stn_parked parked = steal->parked.all[i];

		if (parked_answer(steal, &parked, over))
			continue;
		if (parked.until_ns < next)
			next = parked.until_ns;
		steal->parked.all[kept++] = parked;
	}
	steal->parked.count = kept;
	return next;
}

/*
 * Will a worker of this node run a record from the inbox soon, or has it just
 * begun and not spawned yet? A search would be useless then: a record that the
 * search brings would go unsplit to the oldest parked request, and the worker's
 * next spawn can serve that request.
 */
static bool
about_to_spawn(struct stn_steal *steal)
{
	uint64_t now = stn_node_now(steal->node);
	bool waits = steal->inbox.waiting;

	if (waits || steal->parked.waited)
		steal->parked.search_at_ns = now + SOON_NS;
	steal->parked.waited = waits;
	return now < steal->parked.search_at_ns;
}

uint64_t
stn_parked_progress(struct stn_steal *steal)
{
	uint64_t next;

	if (!steal->parked.count)
		return STN_FOREVER;
	if (!steal->deciding.balancer->waits)
		return answer_all(steal, false);
	if (!about_to_spawn(steal))
		return answer_all(steal, !stn_decide_idle(steal, false));
	next = answer_all(steal, false);
	return next < steal->parked.search_at_ns ? next
						 : steal->parked.search_at_ns;
}

void
stn_parked_end(struct stn_steal *steal)
{
	if (steal->deciding.balancer->waits)
		answer_all(steal, true);
}

static void
remove_parked(struct stn_steal *steal, uint32_t i)
{
	uint32_t count = steal->parked.count - 1;

	for (; i < count; i++)
		steal->parked.all[i] = steal->parked.all[i + 1];
	steal->parked.count = count;
}

void
stn_parked_died(struct stn_steal *steal, uint32_t from)
{
	for (uint32_t i = steal->parked.count; i-- > 0;)
		if (steal->parked.all[i].from == from) {
			remove_parked(steal, i);
			steal->counts.dropped++;
		}
	stn_parked_end(steal);
}

void
stn_parked_cancel(struct stn_steal *steal, uint32_t from, uint32_t number)
{
	struct stn_parked parked;

	for (uint32_t i = 0; i < steal->parked.count; i++) {
		if (steal->parked.all[i].from != from ||
		    steal->parked.all[i].number != number)
			continue;
		parked = steal->parked.all[i];
		remove_parked(steal, i);
		stn_victim_refuse(steal, &parked);
		stn_decide_withdrawn(steal, NULL);
		return;
	}
}

/* A bound thief takes no record that is run again (steal.h). */
bool
stn_parked_pass(struct stn_steal *steal, struct stn_job *job)
{
	bool redone = job->record.flags & STN_RECORD_REDONE;
	struct stn_parked parked;
	uint32_t i = 0;

	while (i < steal->parked.count && redone && steal->parked.all[i].bound)
		i++;
	if (i == steal->parked.count)
		return false;
	parked = steal->parked.all[i];
	remove_parked(steal, i);
	stn_loan_relay(steal, parked.from, parked.number, job);
	return true;
}

static void
try_progress(void *arg)
{
	struct stn_steal *steal = arg;

	if (!stn_node_try_enter(steal->node))
		return;
	stn_parked_progress(steal);
	stn_node_leave(steal->node);
}

void
stn_parked_spawned(struct stn_owner *owner)
{
	struct stn_steal *steal = owner->steal;

	stn_node_aside(steal->node, try_progress, steal);
	if (steal->parked.count)
		stn_deque_lower(&owner->deque);
}

void
stn_parked_fini(struct stn_parked_list *parked)
{
	free(parked->all);
}
