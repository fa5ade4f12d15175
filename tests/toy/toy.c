#include "tests/toy/toy.h"

#include <stdlib.h>
#include <string.h>

#include "node/dispatch.h"
#include "node/progress.h"
#include "node/setting.h"
#include "node/sleep.h"
#include "node/stats/tally.h"
#include "node/worker.h"

struct toy_settings {
	uint64_t rounds;
};

struct toy_counts {
	uint64_t sent, received, worked;
};

struct toy {
	struct stn_node *node;
	const struct toy_settings *settings;
	struct toy_counts counts;    /* net lock held; worked is 0 */
	_Atomic(uint64_t) received;  /* pings that have come */
	_Atomic(uint64_t) unhandled; /* of those, not yet worked on */
	_Atomic(uint64_t) worked;
};

static const struct stn_setting rows[] = {
	{ "toy-rounds", 0, COUNT, offsetof(struct toy_settings, rounds), "2", 0,
	  1000, "rounds", "of pings that each node sends" },
};

static const struct stn_setting_table table = {
	.rows = rows,
	.count = sizeof(rows) / sizeof(rows[0]),
	.bytes = sizeof(struct toy_settings),
};

static const struct stn_setting_table *
toy_tables(size_t number)
{
	return number ? NULL : &table;
}

static const struct stn_count count_rows[] = {
	{ "pings_sent", "pings sent", offsetof(struct toy_counts, sent), NULL,
	  NULL, NULL },
	{ "pings_received", "pings received",
	  offsetof(struct toy_counts, received), NULL, NULL, NULL },
	{ "pings_worked", "pings worked on",
	  offsetof(struct toy_counts, worked), NULL, NULL, NULL },
};

static const struct stn_count_table counts_table;

static size_t
toy_sums(const struct stn_tally_layout *layout, const struct stn_tally *total,
	 struct stn_sum sums[STN_SUMS_MOST])
{
	const struct toy_counts *counts =
		stn_tally_of(layout->services, &counts_table,
			     (struct stn_tally *)(uintptr_t)total);

	sums[0] = (struct stn_sum){ "pings", "sent", "received", counts->sent,
				    counts->received };
	return 1;
}

static const struct stn_count_table counts_table = {
	.rows = count_rows,
	.count = sizeof(count_rows) / sizeof(count_rows[0]),
	.bytes = sizeof(struct toy_counts),
	.sums = toy_sums,
};

static const struct stn_kind kinds[] = {
	{ .number = TOY_PING, .name = "ping", .numbered = true },
};

static enum stn_err
toy_open(struct stn_node *node, void **state_p, struct stn_why *why)
{
	struct toy *toy = calloc(1, sizeof(*toy));

	if (!toy)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	toy->node = node;
	toy->settings = stn_config_own(node->config, &table);
	*state_p = toy;
	return STN_OK;
}

static uint64_t
toy_expected(const struct toy *toy)
{
	return toy->settings->rounds * (toy->node->topology->nodes - 1);
}

/* All pings at once; a node sends the first of them when it first looks. */
static uint64_t
toy_look_after(void *state, uint64_t now)
{
	struct toy *toy = state;
	const struct stn_node *node = toy->node;

	(void)now;
	if (toy->counts.sent == toy_expected(toy))
		return STN_FOREVER;
	for (uint32_t round = 0; round < toy->settings->rounds; round++)
		for (uint32_t i = 0; i < node->topology->nodes; i++)
			if (i != node->rank) {
				stn_node_say(toy->node, i, TOY_PING, &round,
					     sizeof(round));
				toy->counts.sent++;
			}
	return STN_FOREVER;
}

static enum stn_err
toy_handle(void *state, const struct stn_message *message)
{
	struct toy *toy = state;

	if (message->header_bytes != sizeof(uint32_t) || message->payload_bytes)
		return STN_MALFORMED;
	toy->counts.received++;
	toy->received++;
	toy->unhandled++;
	stn_node_wake(toy->node);
	return STN_OK;
}

/* One ping at a time. */
static bool
toy_work(void *state, struct stn_worker *worker)
{
	struct toy *toy = state;
	uint64_t left = toy->unhandled;

	do {
		if (!left)
			return false;
	} while (!atomic_compare_exchange_weak(&toy->unhandled, &left,
					       left - 1));
	stn_worker_found(worker);
	toy->worked++;
	stn_node_wake(toy->node);
	return true;
}

/* Pings leave when the service looks, which some nodes may never have done. */
static enum stn_err
toy_finish(void *state)
{
	struct toy *toy = state;

	stn_node_enter(toy->node);
	toy_look_after(toy, stn_node_now(toy->node));
	stn_node_leave(toy->node);
	return STN_OK;
}

static bool
toy_settled(void *state)
{
	struct toy *toy = state;

	return toy->received == toy_expected(toy);
}

static void
toy_count(void *state, struct stn_tally *tally)
{
	struct toy *toy = state;
	struct toy_counts *counts =
		stn_tally_of(toy->node->services, &counts_table, tally);

	*counts = toy->counts;
	counts->worked = toy->worked;
}

const struct stn_service toy_service = {
	.name = "toy",
	.kinds = kinds,
	.kind_count = sizeof(kinds) / sizeof(kinds[0]),
	.settings = toy_tables,
	.counts = &counts_table,
	.open = toy_open,
	.close = free,
	.handle = toy_handle,
	.work = toy_work,
	.look_after = toy_look_after,
	.finish = toy_finish,
	.settled = toy_settled,
	.count = toy_count,
};
