/*
 * hold.c: requests that wait at the victim for something to be spawned. The
 * pause that a thief would make after a refusal it makes here, where the next
 * spawn ends it: so a spawned call can start elsewhere one message later.
 *
 * Who spawns doesn't wait for the net lock: if somebody has it, that one looks
 * at the deques before it goes to sleep, or else the thief's patience ends.
 */
#include "steal/node.h"

bool
stn_hold(struct stn_node *node, uint32_t from,
	 const struct stn_wire_request *request)
{
	uint64_t patience_ns = request->patience_us * 1000ull;
	uint32_t count = node->held_count;

	if (!patience_ns || count == STN_HELD || node->stopping)
		return false;
	node->held[count] = (struct stn_held){
		.from = from,
		.number = request->number,
		.until_ns = stn_node_now(node) + patience_ns,
	};
	/* Pairs with the fence in stn_hold_spawned's caller: spawn.c. */
	node->held_count = count + 1;
	for (uint32_t i = 0; i < node->worker_count; i++)
		stn_deque_lower(&node->workers[i].deque);
	return true;
}

/* Has the request been answered? */
static bool
answer(struct stn_node *node, const struct stn_held *held, uint64_t now)
{
	if (stn_lend_spawned(node, held->from, held->number))
		return true;
	if (now < held->until_ns && !node->stopping)
		return false;
	stn_lend_refuse(node, held->from, held->number);
	return true;
}

uint64_t
stn_hold_progress(struct stn_node *node)
{
	uint32_t kept = 0, count = node->held_count;
	uint64_t next = STN_FOREVER, now;

	if (!count)
		return next;
	now = stn_node_now(node);
	for (uint32_t i = 0; i < count; i++) {
		struct stn_held held = node->held[i];

		if (answer(node, &held, now))
			continue;
		if (held.until_ns < next)
			next = held.until_ns;
		node->held[kept++] = held;
	}
	node->held_count = kept;
	return next;
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
