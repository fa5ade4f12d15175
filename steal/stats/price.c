#include "steal/stats/price.h"

#include <stdlib.h>

#define ROUNDS 5 /* the best one counts */

static void
run_nothing(struct stn_deque *deque, const struct stn_record *record,
	    struct stn_record *head, void *result)
{
	(void)deque;
	(void)record;
	(void)head;
	(void)result;
	__asm__ volatile(""); /* so that it is called */
}

static const struct stn_task nothing = { .name = "nothing",
					 .run = run_nothing };

/* As STN_SPAWN and STN_SYNC do. */
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
time_calls(struct stn_worker *worker, bool spawned)
{
	struct stn_deque *deque = &worker->deque;
	uint64_t begin = stn_node_now(worker->node);

	for (int i = 0; i < STN_PRICE_CALLS; i++)
		if (spawned)
			spawn_and_sync(deque);
		else
			nothing.run(deque, deque->slots, deque->slots, NULL);
	return stn_node_now(worker->node) - begin;
}

static uint64_t
best(struct stn_worker *worker, bool spawned)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t ns = time_calls(worker, spawned);

		if (ns < least)
			least = ns;
	}
	return least;
}

/* A worker that is none of the node's: nobody steals from it. */
static struct stn_worker *
make_worker(struct stn_node *node, bool counted)
{
	struct stn_worker *worker = aligned_alloc(128, sizeof(*worker));

	if (!worker)
		return NULL;
	memset(worker, 0, sizeof(*worker));
	worker->node = node;
	if (stn_deque_init(&worker->deque, 1)) {
		free(worker);
		return NULL;
	}
	if (counted)
		stn_deque_offer_all(&worker->deque);
	return worker;
}

uint64_t
stn_price(struct stn_node *node, bool counted)
{
	struct stn_worker *worker = make_worker(node, counted);
	uint64_t calls, spawns;

	if (!worker)
		return 0;
	calls = best(worker, false);
	spawns = best(worker, true);
	stn_deque_fini(&worker->deque);
	free(worker);
	return spawns > calls ? spawns - calls : 0;
}
