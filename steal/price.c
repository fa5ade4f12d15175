#include "steal/price.h"

#include <stdlib.h>

#define ROUNDS 5 /* the fastest one counts */

static void
run_nothing(struct stn_deque *deque, const struct stn_record *record,
	    struct stn_record *head, void *result)
{
	(void)deque;
	(void)record;
	(void)head;
	(void)result;
	__asm__ volatile(""); /* keeps the compiler from removing the call */
}

static const struct stn_task nothing = { .name = "nothing",
					 .run = run_nothing };

/* Does the same as STN_SPAWN and STN_SYNC. */
static void
spawn_and_sync(struct stn_deque *deque)
{
	struct stn_record *record = deque->slots;

	if (stn_spawn_plain(deque, record))
		stn_push(record, &nothing);
	else
		stn_spawn_slow(deque, record, &nothing, record->arguments);
	if (stn_pop(record))
		nothing.run(deque, record, record, NULL);
	else
		stn_sync_slow(deque, record, &nothing, NULL);
}

static uint64_t
time_calls(struct stn_owner *owner, bool spawned)
{
	struct stn_deque *deque = &owner->deque;
	uint64_t begin = stn_node_now(owner->node);

	for (int i = 0; i < STN_SPAWN_PRICE_CALLS; i++)
		if (spawned)
			spawn_and_sync(deque);
		else
			nothing.run(deque, deque->slots, deque->slots, NULL);
	return stn_node_now(owner->node) - begin;
}

static uint64_t
best(struct stn_owner *owner, bool spawned)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t ns = time_calls(owner, spawned);

		if (ns < least)
			least = ns;
	}
	return least;
}

/*
 * An owner outside the node's list: no worker steals from it. It counts as
 * inside a checked call (pure.h), because the program's table, by which checked
 * calls are counted, does not have `nothing`.
 */
static struct stn_owner *
make_owner(struct stn_steal *steal, bool counted)
{
	struct stn_owner *owner = aligned_alloc(128, sizeof(*owner));

	if (!owner)
		return NULL;
	memset(owner, 0, sizeof(*owner));
	owner->steal = steal;
	owner->node = steal->node;
	owner->pure.busy = true;
	if (stn_deque_init(&owner->deque, NULL, 1, counted)) {
		free(owner);
		return NULL;
	}
	return owner;
}

uint64_t
stn_spawn_price(struct stn_steal *steal, bool counted)
{
	struct stn_owner *owner = make_owner(steal, counted);
	uint64_t calls, spawns;

	if (!owner)
		return 0;
	calls = best(owner, false);
	spawns = best(owner, true);
	stn_deque_fini(&owner->deque);
	free(owner);
	return spawns > calls ? spawns - calls : 0;
}
