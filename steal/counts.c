#include <inttypes.h>

#include "node/stats/tally.h"
#include "steal/price.h"
#include "steal/steal.h"
#include "steal/wire.h"

#define AT(member) offsetof(struct stn_steal_counts, member)
#define COUNT(name, text)                                                      \
	{                                                                      \
#name, text, AT(name), NULL, NULL, NULL                        \
	}
#define WORKERS(name, text)                                                    \
	{                                                                      \
#name, text, AT(workers.name), NULL, NULL, NULL                \
	}
#define STEALS(name, text, asynchronous, wide)                                 \
	STEAL(asked_##name, "steal requests, " text, asynchronous, wide,       \
	      asked),                                                          \
		STEAL(granted_##name, "  granted", asynchronous, wide,         \
		      granted),                                                \
		STEAL(refused_##name, "  refused", asynchronous, wide,         \
		      refused),                                                \
		STEAL(cancelled_##name, "  cancelled", asynchronous, wide,     \
		      cancelled)
#define STEAL(name, text, asynchronous, wide, member)                          \
	{                                                                      \
#name, text, AT(steals[asynchronous][wide].member), NULL,      \
			NULL, NULL                                             \
	}

static const struct stn_count rows[] = {
	WORKERS(spawned, "tasks spawned"),
	{ "executed", "tasks executed", AT(executed), NULL, "share_executed",
	  "share of the tasks executed" },
	WORKERS(executed_here, "  on the node that spawned them"),
	WORKERS(executed_elsewhere, "  on another node"),
	WORKERS(work_units, "units of work"),
	WORKERS(stolen_node, "stolen inside a node"),
	WORKERS(stolen_lan, "stolen over LAN"),
	WORKERS(stolen_wan, "stolen over WAN"),
	WORKERS(lent, "records that left their node"),
	COUNT(borrowed, "records that came from another"),
	COUNT(relayed, "  and went on to a third"),
	COUNT(came_home, "  and had left this one"),
	STEALS(sync_lan, "synchronous, LAN", 0, 0),
	STEALS(sync_wan, "synchronous, WAN", 0, 1),
	STEALS(async_lan, "asynchronous, LAN", 1, 0),
	STEALS(async_wan, "asynchronous, WAN", 1, 1),
	COUNT(held, "requests still held at the end"),
	COUNT(lost, "requests lost with their nodes"),
	COUNT(dropped, "requests of nodes that died"),
	COUNT(redone, "records run again"),
	COUNT(kept, "results kept for nodes that died"),
	COUNT(reused, "results used instead of a run"),
	COUNT(fetched, "  and not there yet"),
	COUNT(stale, "results that came too late"),
	COUNT(discarded, "records that nobody needed"),
	COUNT(deposited, "results deposited with other nodes"),
	WORKERS(logged, "results kept in logs"),
	WORKERS(resumed, "results taken from logs"),
	COUNT(results_lan, "results returned, LAN"),
	COUNT(results_wan, "results returned, WAN"),
	{ "overhead_ns", "  parallelisation overhead", AT(overhead_ns),
	  "working_ns", NULL, NULL },
	{ "counting_ns", "    by counting", AT(counting_ns), "overhead_ns",
	  NULL, NULL },
};

static struct stn_steals
all_steals(const struct stn_steal_counts *counts)
{
	const struct stn_steals *steals = counts->steals[0];
	struct stn_steals sum = { 0 };

	for (int i = 0; i < 4; i++) {
		sum.asked += steals[i].asked;
		sum.granted += steals[i].granted;
		sum.refused += steals[i].refused;
		sum.cancelled += steals[i].cancelled;
	}
	return sum;
}

static uint64_t
results_came(const struct stn_counts *core,
	     const struct stn_steal_counts *counts)
{
	return stn_mails_both(core->received, STN_RESULT) +
	       counts->bundled_came;
}

/*
 * The sums that must hold over all nodes; the last five hold also on each node
 * by itself, whatever happens to other nodes. On each line, the numbers before
 * and after the semicolon are equal:
 *
 *	tasks	  spawned; executed, or taken from a log
 *	records	  left a node; came to a node
 *	results	  records that came; returned, passed on or brought home
 *	requests  asked; granted, refused, cancelled, or lost with their nodes
 *	replies	  requests received; answered, parked at the end, or dropped
 *		  because the thief has died
 *	calls	  spawned here, and jobs begun here; run here, taken from a log,
 *		  lent, or completed by an orphan
 *	jobs	  records that came or are run again; begun, passed on, or
 *		  discarded because nobody needs them any more
 *	loans	  records lent, and orphans fetched; results that came, except
 *		  those that came too late
 */
static size_t
steal_sums(const struct stn_tally_layout *layout, const struct stn_tally *total,
	   struct stn_sum sums[STN_SUMS_MOST])
{
	const struct stn_counts *core = &total->core;
	const struct stn_steal_counts *counts =
		stn_tally_of(layout->services, &stn_steal_counts_table,
			     (struct stn_tally *)(uintptr_t)total);
	const struct stn_owner_counts *workers = &counts->workers;
	const struct stn_steals steals = all_steals(counts);
	const uint64_t jobs = workers->stolen_lan + workers->stolen_wan;
	const struct stn_sum all[] = {
		{ "tasks", "spawned", "executed", workers->spawned,
		  workers->executed_here + workers->executed_elsewhere +
			  workers->resumed },
		{ "records", "left", "came", workers->lent + counts->relayed,
		  counts->borrowed },
		{ "results", "due", "returned", counts->borrowed,
		  results_came(core, counts) + counts->relayed +
			  counts->came_home },
		{ "requests", "asked", "answered", steals.asked,
		  steals.granted + steals.refused + steals.cancelled +
			  counts->lost,
		  true },
		{ "replies", "due", "sent",
		  stn_mails_both(core->received, STN_REQUEST),
		  stn_mails_both(core->sent, STN_GRANT) +
			  stn_mails_both(core->sent, STN_REFUSE) +
			  counts->held + counts->dropped,
		  true },
		{ "calls", "due", "done", workers->spawned + jobs,
		  workers->executed_here + workers->executed_elsewhere +
			  workers->resumed + workers->lent + counts->reused,
		  true },
		{ "jobs", "came", "gone", counts->borrowed + counts->redone,
		  jobs + counts->relayed + counts->discarded, true },
		{ "loans", "due", "returned", workers->lent + counts->fetched,
		  results_came(core, counts) + counts->came_home -
			  counts->stale,
		  true },
	};

	memcpy(sums, all, sizeof(all));
	return sizeof(all) / sizeof(all[0]);
}

static void
steal_recovery(const struct stn_tally_layout *layout,
	       const struct stn_tally *total, FILE *out)
{
	const struct stn_steal_counts *counts =
		stn_tally_of(layout->services, &stn_steal_counts_table,
			     (struct stn_tally *)(uintptr_t)total);

	fprintf(out,
		"; records run again: %" PRIu64 ", results reused: %" PRIu64,
		counts->redone, counts->reused);
}

const struct stn_count_table stn_steal_counts_table = {
	.rows = rows,
	.count = sizeof(rows) / sizeof(rows[0]),
	.bytes = sizeof(struct stn_steal_counts),
	.sums = steal_sums,
	.recovery = steal_recovery,
};

#define WORDS (sizeof(struct stn_owner_counts) / sizeof(uint64_t))

static void
counts_add(struct stn_owner_counts *to, const struct stn_owner_counts *from)
{
	uint64_t sums[WORDS], more[WORDS];

	memcpy(sums, to, sizeof(*to));
	memcpy(more, from, sizeof(*from));
	for (size_t i = 0; i < WORDS; i++)
		sums[i] += more[i];
	memcpy(to, sums, sizeof(*to));
}

/* What so many spawns cost, in ns. Divides first: the product may overflow. */
static uint64_t
spawns_cost(uint64_t spawns, uint64_t price)
{
	uint64_t rest = spawns % STN_SPAWN_PRICE_CALLS;

	return spawns / STN_SPAWN_PRICE_CALLS * price +
	       rest * price / STN_SPAWN_PRICE_CALLS;
}

/* Computes the counts that follow from others. */
static void
counts_finish(const struct stn_steal *steal, const struct stn_counts *core,
	      struct stn_steal_counts *counts)
{
	const struct stn_owner_counts *workers = &counts->workers;
	uint64_t plain = spawns_cost(workers->spawned, steal->plain_price);

	counts->executed = workers->executed_here + workers->executed_elsewhere;
	counts->results_lan =
		core->sent[false][STN_RESULT].messages + counts->bundled_sent;
	counts->results_wan = core->sent[true][STN_RESULT].messages;
	counts->overhead_ns = spawns_cost(workers->spawned, steal->price);
	if (counts->overhead_ns > plain)
		counts->counting_ns = counts->overhead_ns - plain;
}

void
stn_steal_count(void *state, struct stn_tally *tally)
{
	const struct stn_steal *steal = state;
	struct stn_steal_counts *sum = stn_tally_of(
		steal->node->services, &stn_steal_counts_table, tally);

	*sum = steal->counts;
	for (uint32_t i = 0; i < steal->node->worker_count; i++) {
		counts_add(&sum->workers, &steal->owners[i].counts);
		sum->workers.work_units += steal->owners[i].deque.work;
	}
	sum->held = steal->parked.count;
	sum->stale += steal->landing;
	sum->discarded += steal->inbox.waiting;
	counts_finish(steal, &tally->core, sum);
}

uint64_t
stn_steal_executed(const struct stn_node *node)
{
	const struct stn_steal *steal =
		stn_node_state(node, &stn_steal_service);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < node->worker_count; i++)
		sum += steal->owners[i].counts.executed_here +
		       steal->owners[i].counts.executed_elsewhere;
	return sum;
}
