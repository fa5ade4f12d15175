/*
 * hold.c: requests that wait at the victim for a record. Where the balancer has
 * nothing else to say, they wait for something to be spawned: the pause that a
 * thief would make after a refusal it makes here, where the next spawn ends it;
 * so a spawned call can start elsewhere one message later. Where it has, they
 * wait for the end of a search on their behalf, too.
 *
 * Who spawns doesn't wait for the net lock: if somebody has it, that one looks
 * at the deques before it goes to sleep, or else the thief's patience ends.
 */
#include "steal/node.h"

#define SOON_NS 20000ull /* who has taken a record has spawned by then */

/* May a request wait that can be granted nothing now? */
static bool
may_wait(struct stn_node *node, const struct stn_held *held)
{
	if (node->stopping)
		return false;
	if (node->balancer->waits)
		return stn_decide_waits(node, held->from);
	return stn_node_now(node) < held->until_ns;
}

bool
stn_hold(struct stn_node *node, const struct stn_held *thief)
{
	uint32_t count = node->held_count;

	if (count == STN_HELD || !may_wait(node, thief))
		return false;
	node->held[count] = *thief;
	if (node->balancer->waits)
		node->held[count].until_ns = STN_FOREVER;
	/* Pairs with the fence in stn_hold_spawned's caller: spawn.c. */
	node->held_count = count + 1;
	atomic_thread_fence(memory_order_seq_cst);
	for (uint32_t i = 0; i < node->worker_count; i++)
		stn_deque_lower(&node->workers[i].deque);
	return true;
}

/* Has the request been answered? It must be, if it is @over. */
static bool
answer(struct stn_node *node, struct stn_held *held, bool over)
{
	if (stn_lend_any(node, held))
		return true;
	if (!over && may_wait(node, held))
		return false;
	stn_lend_refuse(node, held);
	return true;
}

/* Answers those that can or must be; returns when the next must be. */
static uint64_t
answer_all(struct stn_node *node, bool over)
{
	uint32_t kept = 0, count = node->held_count;
	uint64_t next = STN_FOREVER;

	for (uint32_t i = 0; i < count; i++) {
		struct stn_held held = node->held[i];

		if (answer(node, &held, over))
			continue;
		if (held.until_ns < next)
			next = held.until_ns;
		node->held[kept++] = held;
	}
	node->held_count = kept;
	return next;
}

/*
 * Is a record about to be run here? Its worker is waking up, or hasn't come to
 * the first spawn: to search now would be in vain, and what that brings goes to
 * who waits, whole, instead of a part of what is here.
 */
static bool
about_to_spawn(struct stn_node *node)
{
	uint64_t now = stn_node_now(node);
	bool waits = node->waiting;

	if (waits || node->waited)
		node->search_at_ns = now + SOON_NS;
	node->waited = waits;
	return now < node->search_at_ns;
}

uint64_t
stn_hold_progress(struct stn_node *node)
{
	uint64_t next;

	if (!node->held_count)
		return STN_FOREVER;
	if (!node->balancer->waits)
		return answer_all(node, false);
	if (!about_to_spawn(node))
		return answer_all(node, !stn_decide_idle(node, false));
	next = answer_all(node, false);
	return next < node->search_at_ns ? next : node->search_at_ns;
}

void
stn_hold_end(struct stn_node *node)
{
	if (node->balancer->waits)
		answer_all(node, true);
}

static void
remove_held(struct stn_node *node, uint32_t i)
{
	uint32_t count = node->held_count - 1;

	for (; i < count; i++)
		node->held[i] = node->held[i + 1];
	node->held_count = count;
}

void
stn_hold_cancel(struct stn_node *node, uint32_t from, uint32_t number)
{
	struct stn_held held;

	for (uint32_t i = 0; i < node->held_count; i++) {
		if (node->held[i].from != from ||
		    node->held[i].number != number)
			continue;
		held = node->held[i];
		remove_held(node, i);
		stn_lend_refuse(node, &held);
		stn_decide_withdrawn(node, NULL);
		return;
	}
}

bool
stn_hold_pass(struct stn_node *node, struct stn_job *job)
{
	struct stn_held held;

	if (!node->held_count)
		return false;
	held = node->held[0];
	remove_held(node, 0);
	stn_lend_job(node, held.from, held.number, job);
	return true;
}

void
stn_hold_spawned(struct stn_worker *worker)
{
	struct stn_node *node = worker->node;

	if (!pthread_mutex_trylock(&node->net)) {
		stn_hold_progress(node);
		stn_node_leave(node);
	}
	if (node->held_count)
		stn_deque_lower(&worker->deque);
}
