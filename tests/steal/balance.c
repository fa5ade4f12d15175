/*
 * balance.c: what the balancers decide, compared with their descriptions in the
 * paper.
 */
#include "tests/steal/balance_world.h"
#include "tests/tap.h"
#include "transport/transport.h"

/*
 * let_wait: the request of node @rank is parked here; let_go: none is any more.
 */
static void
park(struct world *world, uint32_t rank)
{
	world->parked[world->snapshot.parked_count++].from = rank;
}

static void
unpark_all(struct world *world)
{
	world->snapshot.parked_count = 0;
}

static bool
may_park(struct world *world, uint32_t rank)
{
	return world->balancer->waits(world->state, &world->snapshot, rank);
}

/*
 * Makes 1000 times as many searches as there are nodes, all refused; counts how
 * often each node was asked.
 */
static void
count_asks(struct world *world, unsigned counts[MOST_NODES], bool asynchronous)
{
	memset(counts, 0, MOST_NODES * sizeof(counts[0]));
	for (unsigned i = 0; i < 1000 * world->topology.nodes; i++) {
		unsigned count = idle(world);

		for (unsigned j = 0; j < count; j++) {
			struct stn_ask ask = world->moves.asks[j];

			if (ask.asynchronous == asynchronous)
				counts[ask.victim]++;
			refuse(world, &ask);
		}
	}
}

/*
 * Were the @size nodes from @first on, except @skip, asked about equally often,
 * and no others?
 */
static bool
asked_evenly(const unsigned counts[MOST_NODES], uint32_t first, uint32_t size,
	     uint32_t skip)
{
	unsigned sum = 0, members = 0;
	bool right = true;

	for (uint32_t i = first; i < first + size; i++) {
		sum += counts[i];
		members += i != skip;
	}
	for (uint32_t i = 0; i < MOST_NODES; i++) {
		bool member = i >= first && i < first + size && i != skip;
		double share = member ? (double)sum / members : 0;

		right = right && counts[i] >= 0.8 * share &&
			counts[i] <= 1.2 * share;
	}
	return right && sum;
}

static void
test_rs(void)
{
	unsigned counts[MOST_NODES];
	struct world world;

	init(&world, "rs", 16, 4, 5);
	tap_ok(idle(&world) == 1 && asked(&world) != STN_NOBODY,
	       "RS asks one node, and waits");
	count_asks(&world, counts, false);
	tap_ok(asked_evenly(counts, 0, 16, 5),
	       "RS asks all other nodes equally often, whatever their cluster, "
	       "and never itself");
	init(&world, "rs", 1, 1, 0);
	tap_ok(idle(&world) == 0, "with RS a node that is alone asks nobody");
}

static void
test_crs_requests(void)
{
	struct stn_ask near, far;
	struct world world;

	init(&world, "crs", 16, 4, 5);
	tap_ok(idle(&world) == 2 && world.moves.asks[0].asynchronous &&
		       !world.moves.asks[1].asynchronous,
	       "CRS asks one far node without waiting, and one near node, "
	       "waiting");
	far = world.moves.asks[0];
	near = world.moves.asks[1];
	refuse(&world, &near);
	tap_ok(idle(&world) == 1 && asked(&world) != STN_NOBODY,
	       "while a far request is out, CRS asks only near nodes");
	grant(&world, &near);
	tap_ok(idle(&world) == 1 && asked(&world) != STN_NOBODY,
	       "a near grant doesn't end the far request");
	grant(&world, &far);
	tap_ok(idle(&world) == 2 && world.moves.asks[0].asynchronous,
	       "after the far grant CRS asks a far node again");
	refuse(&world, &far);
	tap_ok(idle(&world) == 2 && world.moves.asks[0].asynchronous,
	       "after a far refusal, too");
}

static void
test_crs_victims(void)
{
	unsigned counts[MOST_NODES];
	struct world world;
	bool right;

	init(&world, "crs", 16, 4, 5);
	count_asks(&world, counts, false);
	tap_ok(asked_evenly(counts, 4, 4, 5),
	       "CRS waits only for nodes of its own "
	       "cluster, and asks them equally often");
	count_asks(&world, counts, true);
	right = counts[4] + counts[5] + counts[6] + counts[7] == 0;
	memmove(&counts[4], &counts[8], 8 * sizeof(counts[0]));
	memset(&counts[12], 0, 8 * sizeof(counts[0]));
	tap_ok(right && asked_evenly(counts, 0, 12, MOST_NODES),
	       "however long it waited, a record is kept if one of its size "
	       "ran for less");
	init(&world, "crs", 8, 8, 3);
	count_asks(&world, counts, false);
	right = true;
	for (uint32_t i = 0; i < MOST_NODES; i++)
		right = right && !counts[i];
	tap_ok(right, "in a cluster of one node CRS waits for nobody");
	count_asks(&world, counts, true);
	tap_ok(asked_evenly(counts, 0, 8, 3),
	       "in a cluster of one node CRS asks all others without waiting");
}

/*
 * On one cluster the balancer asks the same nodes as RS, in the same order, and
 * sends no loads.
 */
static void
test_one_cluster(const char *name)
{
	struct world rs, other;
	bool same = true;

	init(&rs, "rs", 9, 1, 4);
	init(&other, name, 9, 1, 4);
	for (int i = 0; i < 1000; i++) {
		other.snapshot.load = (uint32_t)i % 20;
		same = same && idle(&rs) == 1 && idle(&other) == 1 &&
		       asked(&rs) == asked(&other) &&
		       other.moves.tell == STN_NOBODY;
		if (i % 4) {
			refuse(&rs, &rs.moves.asks[0]);
			refuse(&other, &other.moves.asks[0]);
		} else {
			grant(&rs, &rs.moves.asks[0]);
			grant(&other, &other.moves.asks[0]);
		}
	}
	if (other.balancer->tick)
		same = same &&
		       other.balancer->tick(other.state, &other.snapshot,
					    &other.moves) == STN_FOREVER;
	tap_ok(same, "on one cluster %s behaves as RS", name);
}

static uint32_t
push_target(struct world *world, uint32_t load, uint32_t in_transit)
{
	world->moves = stn_moves_none();
	world->snapshot.load = load;
	world->snapshot.in_transit = in_transit;
	world->balancer->longer(world->state, &world->snapshot, &world->moves);
	return world->moves.push_to;
}

static void
test_rp(void)
{
	unsigned counts[MOST_NODES] = { 0 };
	struct world world;

	init(&world, "rp", 16, 4, 5);
	set(&world, "--rp-threshold", "3");
	set(&world, "--rp-limit", "2");
	tap_ok(idle(&world) == 0, "with RP an idle node asks nobody");
	tap_ok(push_target(&world, 3, 0) == STN_NOBODY,
	       "with RP a node keeps a queue as long as the threshold");
	tap_ok(push_target(&world, 4, 0) != STN_NOBODY,
	       "from a longer queue RP pushes a record");
	tap_ok(push_target(&world, 100, 2) == STN_NOBODY,
	       "RP pushes nothing while the most records allowed are in "
	       "transit");
	for (int i = 0; i < 16000; i++)
		counts[push_target(&world, 4, 1)]++;
	tap_ok(asked_evenly(counts, 0, 16, 5),
	       "RP pushes to all other nodes equally "
	       "often, and never to itself");
	init(&world, "rp", 1, 1, 0);
	tap_ok(push_target(&world, 100, 0) == STN_NOBODY,
	       "with RP a node that is alone pushes nothing");
}

static void
test_cls_member(void)
{
	struct world world;

	init(&world, "cls", 16, 4, 5);
	tick(&world, 0);
	tap_ok(world.moves.tell == STN_NOBODY && !world.moves.ask_count,
	       "with CLS a node doesn't tell a load that hasn't changed");
	tick(&world, 7);
	tap_ok(world.moves.tell == 4 && !world.moves.ask_count,
	       "it tells a changed load to the coordinator of its cluster");
	tick(&world, 7);
	tap_ok(world.moves.tell == STN_NOBODY, "it tells a load only once");
	world.snapshot.load = 0;
	tap_ok(idle(&world) == 1 && world.moves.tell == 4 &&
		       asked(&world) >= 4 && asked(&world) < 8,
	       "an idle node tells its load at once, and steals in its "
	       "cluster");
	refuse(&world, &world.moves.asks[0]);
	idle(&world);
	tap_ok(world.moves.tell == STN_NOBODY, "it does so only once");
	tap_ok(!tell(&world, 6, 3),
	       "a node that is no coordinator ignores loads");
}

static void
test_cls_coordinator(void)
{
	unsigned counts[MOST_NODES] = { 0 };
	struct stn_ask far;
	struct world world;

	init(&world, "cls", 16, 4, 4);
	set(&world, "--cls-threshold", "10");
	tick(&world, 10);
	tap_ok(!world.moves.ask_count,
	       "a coordinator whose cluster has enough records asks nobody");
	tell(&world, 6, 3);
	tick(&world, 7);
	tap_ok(!world.moves.ask_count, "it adds up the loads of its nodes");
	tell(&world, 6, 2);
	far = world.moves.asks[0];
	tap_ok(world.moves.ask_count == 1 && far.asynchronous &&
		       (far.victim < 4 || far.victim >= 8),
	       "if they have too little, it asks another cluster, without "
	       "waiting");
	tell(&world, 6, 1);
	tap_ok(!world.moves.ask_count, "it has one far request at a time");
	for (int i = 0; i < 16000; i++) {
		refuse(&world, &far);
		tick(&world, 0);
		far = world.moves.asks[0];
		counts[far.victim]++;
	}
	memmove(&counts[4], &counts[8], 8 * sizeof(counts[0]));
	memset(&counts[12], 0, 8 * sizeof(counts[0]));
	tap_ok(asked_evenly(counts, 0, 12, MOST_NODES),
	       "it asks the nodes of other clusters equally often");
}

/*
 * A cluster of seven nodes, and another one:
 *
 *	        7             0
 *	    8       9        ...
 *	  10 11   12 13
 */
static void
test_chs_search(void)
{
	struct world world;
	struct stn_ask ask;

	init(&world, "chs", 14, 2, 8);
	tap_ok(idle(&world) == 1 && asked(&world) == 10,
	       "an idle node of CHS asks its first child, and waits");
	ask = world.moves.asks[0];
	tap_ok(refuse(&world, &ask) && search_on(&world) == 1 &&
		       asked(&world) == 11,
	       "refused, it asks its second child at once");
	ask = world.moves.asks[0];
	tap_ok(may_park(&world, 7),
	       "meanwhile its parent's request may be parked");
	tap_ok(refuse(&world, &ask) && search_on(&world) == 1 &&
		       asked(&world) == 7,
	       "when its subtree is idle, it asks its parent");
	ask = world.moves.asks[0];
	tap_ok(!may_park(&world, 7),
	       "then its parent's request may not be parked");
	tap_ok(may_park(&world, 10), "but a child's request may be");
	tap_ok(!refuse(&world, &ask),
	       "when its parent refuses, the search has failed");
	tap_ok(idle(&world) == 1 && asked(&world) == 10,
	       "the next search begins at the first child");
}

static void
test_chs_for_others(void)
{
	struct world world;
	struct stn_ask ask;

	init(&world, "chs", 14, 2, 8);
	park(&world, 7);
	tap_ok(search_on(&world) == 1 && asked(&world) == 10,
	       "a node of CHS that has no record searches for the node whose "
	       "request it parks");
	ask = world.moves.asks[0];
	tap_ok(!grant(&world, &ask),
	       "a record that this search is granted is for that node");
	world.snapshot.idle = true;
	tap_ok(grant(&world, &ask), "if the node itself has become idle "
				    "meanwhile, it keeps the record");
	world.snapshot.idle = false;
	park(&world, 10);
	tap_ok(search_on(&world) == 1 && asked(&world) == 11,
	       "a child whose request is parked isn't asked");
	ask = world.moves.asks[0];
	refuse(&world, &ask);
	tap_ok(search_on(&world) == 1 && asked(&world) == 7,
	       "for a child's request it asks its parent");
	unpark_all(&world);
	ask = world.moves.asks[0];
	refuse(&world, &ask);
	park(&world, 7);
	search_on(&world);
	refuse(&world, &world.moves.asks[0]);
	search_on(&world);
	refuse(&world, &world.moves.asks[0]);
	tap_ok(search_on(&world) == 0,
	       "for its parent's request it doesn't ask its parent");
}

/*
 * Tells the balancer that a record may no longer be wanted; does it cancel its
 * search?
 */
static bool
cancels(struct world *world)
{
	world->moves = stn_moves_none();
	world->balancer->withdrawn(world->state, &world->snapshot,
				   &world->moves);
	return world->moves.cancel;
}

static void
test_chs_cancel(void)
{
	struct world world;

	init(&world, "chs", 14, 2, 8);
	idle(&world);
	park(&world, 7);
	world.snapshot.idle = false;
	tap_ok(!cancels(&world),
	       "a result cancels no search that parked requests wait for");
	unpark_all(&world);
	tap_ok(cancels(&world),
	       "a result cancels a search that no parked request waits for");
	init(&world, "chs", 14, 2, 8);
	park(&world, 7);
	search_on(&world);
	unpark_all(&world);
	world.snapshot.idle = true;
	tap_ok(!cancels(&world), "a result cancels no search of a node that "
				 "has become idle itself");
}

static void
test_chs_roots(void)
{
	unsigned counts[MOST_NODES] = { 0 };
	struct world world;

	init(&world, "chs", 16, 16, 5);
	for (int i = 0; i < 16000; i++) {
		idle(&world);
		counts[asked(&world)]++;
		refuse(&world, &world.moves.asks[0]);
	}
	tap_ok(asked_evenly(counts, 0, 16, 5),
	       "a root asks all other roots equally often, and waits");
	init(&world, "chs", 3, 1, 0);
	park(&world, 1);
	park(&world, 2);
	tap_ok(idle(&world) == 0, "the root of the only cluster asks nobody");
}

static void
test_chs_died(void)
{
	struct world world;
	struct stn_ask ask;

	init(&world, "chs", 14, 2, 8);
	idle(&world);
	ask = world.moves.asks[0];
	world.gone[0] = 1 << 10;
	world.in_cluster[1]--;
	world.balancer->died(world.state, &world.snapshot, 10);
	tap_ok(refuse(&world, &ask) && search_on(&world) == 1 &&
		       asked(&world) == 11,
	       "if the child dies that was asked, its successor is asked");
}

int
main(void)
{
	tap_begin();
	tap_ok(!stn_balancer_find("fifo"), "there is no balancer \"fifo\"");
	test_rs();
	test_rp();
	test_chs_search();
	test_chs_for_others();
	test_chs_cancel();
	test_chs_roots();
	test_chs_died();
	test_cls_member();
	test_cls_coordinator();
	test_crs_requests();
	test_crs_victims();
	test_one_cluster("lrs");
	test_one_cluster("crs");
	test_one_cluster("cls");
	return tap_end();
}
