/*
 * balance_lrs.c: what Link-aware Random Stealing decides, and what it learns of
 * links.
 */
#include "tests/steal/balance_world.h"
#include "tests/tap.h"
#include "transport/transport.h"

/* The request is refused, @us microseconds after it was sent. */
static void
refuse_after(struct world *world, const struct stn_ask *ask, uint64_t us)
{
	world->snapshot.answer = (struct stn_answer){ .took_ns = us * 1000 };
	refuse(world, ask);
}

/*
 * Searches once, and refuses the near request; returns the far request, whose
 * victim is STN_NOBODY if there is none.
 */
static struct stn_ask
ask_far(struct world *world)
{
	unsigned count = idle(world);

	for (unsigned i = 0; i < count; i++)
		if (!world->moves.asks[i].asynchronous)
			refuse(world, &world->moves.asks[i]);
	if (!count || !world->moves.asks[0].asynchronous)
		return (struct stn_ask){ .victim = STN_NOBODY };
	return world->moves.asks[0];
}

static void
test_requests(void)
{
	struct stn_ask first, second;
	struct world world;

	init(&world, "lrs", 16, 4, 5);
	tap_ok(idle(&world) == 2 && world.moves.asks[0].asynchronous &&
		       !world.moves.asks[1].asynchronous &&
		       world.moves.asks[1].victim / 4 == 1,
	       "LRS asks one far node without waiting, and one near node, "
	       "waiting");
	first = world.moves.asks[0];
	refuse(&world, &world.moves.asks[1]);
	second = ask_far(&world);
	tap_ok(second.victim != STN_NOBODY &&
		       second.victim / 4 != first.victim / 4,
	       "next it asks a node of a second far cluster");
	tap_ok(ask_far(&world).victim == STN_NOBODY,
	       "it asks no third far cluster");
	refuse(&world, &first);
	first = ask_far(&world);
	tap_ok(first.victim != STN_NOBODY &&
		       first.victim / 4 != second.victim / 4,
	       "after an answer it asks a far node of the next cluster");
}

static void
test_victims(void)
{
	unsigned counts[4] = { 0 };
	struct world world;

	/* Nodes 1 and 2 answer after 10 ms, and node 3 after 40 ms. */
	init(&world, "lrs", 4, 4, 0);
	for (int i = 0; i < 9000; i++) {
		struct stn_ask ask = ask_far(&world);

		counts[ask.victim]++;
		refuse_after(&world, &ask, ask.victim == 3 ? 40000 : 10000);
	}
	tap_ok(counts[0] == 0 && counts[3] > 800 && counts[3] < 1200 &&
		       counts[1] > 3600 && counts[2] > 3600,
	       "LRS asks far nodes in proportion to how soon they answer");
}

static enum stn_verdict
lends_to(struct world *world, uint32_t rank, struct stn_seen seen,
	 struct stn_loan loan)
{
	struct stn_parked thief = { .from = rank, .seen = seen };

	return world->balancer->lends(world->state, &world->snapshot, &thief,
				      &loan);
}

static enum stn_verdict
lends(struct world *world, struct stn_seen seen, struct stn_loan loan)
{
	return lends_to(world, 9, seen, loan);
}

/* Two clusters of 16 nodes; node 5 lends to nodes of the other. */
static void
test_queue(void)
{
	const struct stn_seen link = { { 80000 }, 2000 };
	const struct stn_loan just = { 1000000, 1100000000 },
			      well = { 1000000, 4100000000 };
	struct world world;

	init(&world, "lrs", 32, 2, 5);
	tap_ok(lends_to(&world, 19, link, just) == STN_LEND &&
		       lends_to(&world, 20, link, just) == STN_KEEP,
	       "a record that just pays is lent to the first four nodes of a "
	       "cluster only");
	tap_ok(lends_to(&world, 31, link, well) == STN_LEND,
	       "one that takes eight times as long as its crossing, to all "
	       "sixteen");
}

static void
test_loans(void)
{
	const uint64_t ms = 1000000, mb = 1000000;
	const struct stn_seen nothing = { 0 }, distance = { { 80000 }, 0 },
			      link = { { 80000 }, 2000 };
	struct world world;

	init(&world, "lrs", 16, 4, 5);
	tap_ok(lends(&world, nothing, (struct stn_loan){ 100, 0 }) ==
			       STN_LEND &&
		       lends(&world, nothing, (struct stn_loan){ mb, ms }) ==
			       STN_KEEP,
	       "over an unknown link LRS lends only small records");
	tap_ok(lends(&world, link, (struct stn_loan){ 100, 9 * ms }) ==
			       STN_KEEP &&
		       lends(&world, link, (struct stn_loan){ 100, 11 * ms }) ==
			       STN_LEND,
	       "it lends no record that is younger than an eighth of the round "
	       "trip");
	tap_ok(lends(&world, distance, (struct stn_loan){ mb, 20 * ms }) ==
		       STN_PROBE,
	       "for a large record over a link of unknown rate it asks for a "
	       "probe");
	tap_ok(lends(&world, link, (struct stn_loan){ mb, 900 * ms }) ==
			       STN_KEEP &&
		       lends(&world, link,
			     (struct stn_loan){ mb, 1100 * ms }) == STN_LEND,
	       "a record that takes 0.5 s to cross must have waited twice as "
	       "long");
	world.balancer->ran(world.state, mb / 4, 300 * ms);
	tap_ok(lends(&world, link, (struct stn_loan){ mb, 20 * ms }) ==
			       STN_LEND &&
		       lends(&world, link, (struct stn_loan){ mb / 16, ms }) ==
			       STN_KEEP,
	       "a record that waited less is lent if smaller ones ran long "
	       "enough in proportion");
	world.balancer->ran(world.state, mb, 500 * ms);
	tap_ok(lends(&world, link, (struct stn_loan){ mb, 1100 * ms }) ==
		       STN_KEEP,
	       "however long it waited, a record is kept if one of its size "
	       "ran for less");
	init(&world, "lrs", 16, 4, 5);
	world.balancer->ran(world.state, 8, 1ull << 42);
	tap_ok(lends(&world, link, (struct stn_loan){ 1ull << 30, 20 * ms }) ==
		       STN_LEND,
	       "long run times of small records don't overflow the estimate "
	       "for large ones");
}

/* LRS learns the link's rate from grants, and sends it in its requests. */
static void
test_rate(void)
{
	struct world world;
	struct stn_ask ask;

	init(&world, "lrs", 2, 2, 0);
	ask = ask_far(&world);
	tap_ok(!ask.seen.round_trip_us && !ask.seen.kb_per_s,
	       "at first LRS knows nothing of a link");
	refuse_after(&world, &ask, 20000);
	ask = ask_far(&world);
	tap_ok(ask.seen.round_trip_us == 20001 && !ask.seen.kb_per_s,
	       "after a refusal it knows the round trip");
	world.snapshot.answer = (struct stn_answer){ 120000000, 1000000 };
	grant(&world, &ask);
	ask = ask_far(&world);
	tap_ok(ask.seen.round_trip_us == 20001 && ask.seen.kb_per_s >= 9990 &&
		       ask.seen.kb_per_s <= 10010,
	       "after a record of 1 MB that took 100 ms longer, a rate of 10 "
	       "MB/s");
}

static bool
asks_ahead(struct world *world, uint32_t load)
{
	world->moves = stn_moves_none();
	world->snapshot.load = load;
	world->balancer->tick(world->state, &world->snapshot, &world->moves);
	return world->moves.ask_count == 1 && world->moves.asks[0].asynchronous;
}

static void
test_ahead(void)
{
	uint64_t reserved[1] = { 1 << 3 };
	struct world world;

	init(&world, "lrs", 4, 4, 0);
	tap_ok(!asks_ahead(&world, 2) && asks_ahead(&world, 1),
	       "a node alone in its cluster asks before it is idle");
	init(&world, "lrs", 16, 4, 0);
	tap_ok(world.balancer->tick(world.state, &world.snapshot,
				    &world.moves) == STN_FOREVER,
	       "a node of a larger cluster doesn't");
	world.topology.reserved = reserved;
	world.in_cluster[0] = 3;
	tap_ok(!asks_ahead(&world, 2) && asks_ahead(&world, 1),
	       "it does while only three of the cluster's nodes have joined");
	world.in_cluster[0] = 4;
	tap_ok(!asks_ahead(&world, 1), "and not when a fourth has joined");
}

/* What the first node of a cluster of four tells its neighbours of calls. */
static uint32_t
typical_us(struct world *world, uint64_t took_ns, int times)
{
	while (times--)
		world->balancer->ran(world->state, 8, took_ns);
	world->moves = stn_moves_none();
	world->balancer->idle(world->state, &world->snapshot, &world->moves);
	for (unsigned i = 0; i < world->moves.ask_count; i++)
		if (!world->moves.asks[i].asynchronous)
			return world->moves.asks[i].seen.call_us;
	return UINT32_MAX;
}

static bool
bundles(const struct world *world, uint32_t call_us, uint64_t bytes)
{
	const struct stn_parked thief = { .seen.call_us = call_us };
	const struct stn_loan loan = { .bytes = bytes };

	return world->balancer->bundles(&thief, &loan);
}

static void
test_bundles(void)
{
	const uint64_t ms = 1000000;
	struct world world;

	init(&world, "lrs", 16, 4, 0);
	tap_ok(!typical_us(&world, 0, 0) &&
		       typical_us(&world, 5 * ms, 1) == 5001,
	       "LRS tells nodes of its cluster how long its stolen calls took");
	tap_ok(typical_us(&world, 900 * ms, 1) < 7000 &&
		       typical_us(&world, 900 * ms, 50) > 500000 &&
		       typical_us(&world, ms / 1000, 99) < 10,
	       "one long call changes that little, many do");
	tap_ok(bundles(&world, 1, 100) && bundles(&world, 10000, 1024) &&
		       !bundles(&world, 10001, 100) && !bundles(&world, 0, 100),
	       "thieves of short calls get several records, others one");
	tap_ok(!bundles(&world, 1, 1025), "records of many bytes come alone");
}

/* One cluster of 16, and one of three nodes. */
static void
test_several(void)
{
	struct stn_ask asks[STN_ASKS];
	struct world world;

	init(&world, "lrs", 16, 1, 0);
	world.balancer->ran(world.state, 8, 1000);
	tap_ok(idle(&world) == 3 && !world.moves.asks[0].asynchronous &&
		       world.moves.asks[1].asynchronous &&
		       world.moves.asks[2].asynchronous,
	       "a thief of short calls asks three nodes of its cluster, and "
	       "waits for one");
	memcpy(asks, world.moves.asks, sizeof(asks));
	refuse(&world, &asks[0]);
	tap_ok(idle(&world) == 1, "two further requests are out, not more");
	grant(&world, &asks[1]);
	refuse(&world, &asks[2]);
	tap_ok(idle(&world) == 3, "answered ones are sent anew");
	init(&world, "lrs", 3, 1, 0);
	world.balancer->ran(world.state, 8, 1000);
	tap_ok(idle(&world) == 1, "in a cluster of three it asks one");
}

/* Refuses near requests until the node sends lifelines; returns how many. */
static unsigned
ask_until_lifelines(struct world *world, unsigned *refusals_p)
{
	for (*refusals_p = 0; *refusals_p < 1000; ++*refusals_p) {
		unsigned count = idle(world);

		if (!count || world->moves.asks[0].lifeline_us)
			return count;
		while (count--)
			refuse(world, &world->moves.asks[count]);
	}
	return 0;
}

/* Node 5 of 16 in one cluster is refused all the time. */
static void
test_lifelines(void)
{
	struct stn_ask asks[STN_ASKS];
	struct world world;
	unsigned refusals;

	init(&world, "lrs", 16, 1, 5);
	tap_ok(ask_until_lifelines(&world, &refusals) == 3 && refusals == 8 &&
		       world.moves.asks[0].asynchronous,
	       "after eight refusals LRS sends three lifelines, and does not "
	       "wait for them");
	memcpy(asks, world.moves.asks, sizeof(asks));
	tap_ok(asks[0].victim == 10 && asks[1].victim == 11 &&
		       asks[2].victim != 5 &&
		       asks[2].lifeline_us < asks[0].lifeline_us,
	       "those of node 5 lead to nodes 10 and 11 and to a random node, "
	       "for a shorter time");
	tap_ok(!idle(&world), "then it asks no node");
	world.snapshot.answer.took_ns = 0;
	tap_ok(!refuse(&world, &asks[1]) && idle(&world) == 1 &&
		       world.moves.asks[0].victim == 11,
	       "a lifeline that is refused early is sent again, after a pause");
	world.snapshot.answer.took_ns = asks[0].lifeline_us * 1000ull;
	tap_ok(refuse(&world, &asks[0]),
	       "one whose time is over is sent again at once");
	tap_ok(grant(&world, &asks[1]) && idle(&world) == 1 &&
		       !world.moves.asks[0].lifeline_us,
	       "after a record it asks as at first");
}

static bool
cancels(struct world *world, bool is_idle)
{
	world->moves = stn_moves_none();
	world->snapshot.idle = is_idle;
	world->balancer->withdrawn(world->state, &world->snapshot,
				   &world->moves);
	return world->moves.cancel_lifelines && !world->moves.cancel;
}

static void
test_few_neighbours(void)
{
	struct world world;
	unsigned refusals;

	init(&world, "lrs", 2, 1, 0);
	tap_ok(ask_until_lifelines(&world, &refusals) == 1,
	       "a node with one neighbour sends it one lifeline");
	tap_ok(!cancels(&world, true) && cancels(&world, false),
	       "a node that has work again cancels its lifelines only");
	init(&world, "lrs", 16, 1, 0);
	world.balancer->ran(world.state, 8, 1000);
	ask_until_lifelines(&world, &refusals);
	tap_ok(refusals == 72 && world.moves.asks[0].victim == 1,
	       "a thief of short calls asks 64 times more before; a node is "
	       "not its own victim");
}

/* How many steals in vain a thief makes before it pauses. */
static uint32_t
tries(struct world *world)
{
	idle(world);
	return world->balancer->tries(world->state);
}

static void
test_pauses(void)
{
	struct world world;

	init(&world, "lrs", 16, 1, 0);
	tap_ok(tries(&world) == 0, "a thief of long calls pauses");
	world.balancer->ran(world.state, 8, 1000);
	tap_ok(tries(&world) == UINT32_MAX, "a thief of short calls does not");
	init(&world, "lrs", 2, 2, 0);
	world.balancer->ran(world.state, 8, 1000);
	tap_ok(tries(&world) == 64,
	       "it does if it is alone in its cluster, without lifelines");
}

int
main(void)
{
	tap_begin();
	test_requests();
	test_victims();
	test_loans();
	test_queue();
	test_rate();
	test_ahead();
	test_bundles();
	test_several();
	test_lifelines();
	test_few_neighbours();
	test_pauses();
	return tap_end();
}
