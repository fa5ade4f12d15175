/*
 * What the balancers decide, against the words of the paper.
 */
#include "tests/balance_world.h"
#include "tests/tap.h"
#include "transport/transport.h"

/* The search goes on; how many the balancer asks. */
static unsigned
go_on(struct world *world)
{
	world->moves = stn_moves_none();
	world->balancer->idle(world->state, &world->view, &world->moves);
	return world->moves.ask_count;
}

/* It asks one node, waiting for the answer: which? */
static uint32_t
asked(const struct world *world)
{
	return world->moves.ask_count == 1 && !world->moves.asks[0].asynchronous
		       ? world->moves.asks[0].victim
		       : STN_NOBODY;
}

/* The request of node @rank waits here, or no longer. */
static void
let_wait(struct world *world, uint32_t rank)
{
	world->held[world->view.held_count++].from = rank;
}

static void
let_go(struct world *world)
{
	world->view.held_count = 0;
}

static bool
may_wait(struct world *world, uint32_t rank)
{
	return world->balancer->waits(world->state, &world->view, rank);
}

/* Asks a thousand times for each other node; says how often each was asked. */
static void
census(struct world *world, unsigned counts[MOST_NODES], bool asynchronous)
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

/* Each from @first on is asked about equally often, @skip and others never. */
static bool
even(const unsigned counts[MOST_NODES], uint32_t first, uint32_t size,
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
	census(&world, counts, false);
	tap_ok(even(counts, 0, 16, 5), "RS asks all others alike, whatever "
				       "their cluster, never itself");
	init(&world, "rs", 1, 1, 0);
	tap_ok(idle(&world) == 0, "RS asks nobody where it is alone");
}

static void
test_crs_requests(void)
{
	struct stn_ask near, far;
	struct world world;

	init(&world, "crs", 16, 4, 5);
	tap_ok(idle(&world) == 2 && world.moves.asks[0].asynchronous &&
		       !world.moves.asks[1].asynchronous,
	       "CRS asks far away without waiting, and near, waiting");
	far = world.moves.asks[0];
	near = world.moves.asks[1];
	refuse(&world, &near);
	tap_ok(idle(&world) == 1 && asked(&world) != STN_NOBODY,
	       "while a far request is out it asks only near");
	grant(&world, &near);
	tap_ok(idle(&world) == 1 && asked(&world) != STN_NOBODY,
	       "a near grant doesn't end the far request");
	grant(&world, &far);
	tap_ok(idle(&world) == 2 && world.moves.asks[0].asynchronous,
	       "after the far grant it asks far again");
	refuse(&world, &far);
	tap_ok(idle(&world) == 2 && world.moves.asks[0].asynchronous,
	       "and so after a far refusal");
}

static void
test_crs_victims(void)
{
	unsigned counts[MOST_NODES];
	struct world world;
	bool right;

	init(&world, "crs", 16, 4, 5);
	census(&world, counts, false);
	tap_ok(even(counts, 4, 4, 5),
	       "CRS waits for nodes of its own cluster only, all alike");
	census(&world, counts, true);
	right = counts[4] + counts[5] + counts[6] + counts[7] == 0;
	memmove(&counts[4], &counts[8], 8 * sizeof(counts[0]));
	memset(&counts[12], 0, 8 * sizeof(counts[0]));
	tap_ok(right && even(counts, 0, 12, MOST_NODES),
	       "its far victims are the nodes of other clusters, all alike");
	init(&world, "crs", 8, 8, 3);
	census(&world, counts, false);
	right = true;
	for (uint32_t i = 0; i < MOST_NODES; i++)
		right = right && !counts[i];
	tap_ok(right, "in a cluster of one it waits for nobody");
	census(&world, counts, true);
	tap_ok(even(counts, 0, 8, 3), "and asks all others");
}

/* On one cluster it asks whom RS asks, in the same order, and says nothing. */
static void
test_one_cluster(const char *name)
{
	struct world rs, other;
	bool same = true;

	init(&rs, "rs", 9, 1, 4);
	init(&other, name, 9, 1, 4);
	for (int i = 0; i < 1000; i++) {
		other.view.load = (uint32_t)i % 20;
		same = same && idle(&rs) == 1 && idle(&other) == 1 &&
		       asked(&rs) == asked(&other) &&
		       other.moves.tell == STN_NOBODY;
		refuse(&rs, &rs.moves.asks[0]);
		refuse(&other, &other.moves.asks[0]);
	}
	if (other.balancer->tick)
		same = same &&
		       other.balancer->tick(other.state, &other.view,
					    &other.moves) == STN_FOREVER;
	tap_ok(same, "on one cluster %s is RS", name);
}

static uint32_t
pushes(struct world *world, uint32_t load, uint32_t in_transit)
{
	world->moves = stn_moves_none();
	world->view.load = load;
	world->view.in_transit = in_transit;
	world->balancer->longer(world->state, &world->view, &world->moves);
	return world->moves.push_to;
}

static void
test_rp(void)
{
	unsigned counts[MOST_NODES] = { 0 };
	struct world world;

	init(&world, "rp", 16, 4, 5);
	world.config.rp_threshold = 3;
	world.config.rp_limit = 2;
	tap_ok(idle(&world) == 0, "with RP the idle ask nobody");
	tap_ok(pushes(&world, 3, 0) == STN_NOBODY,
	       "a queue as long as the threshold stays");
	tap_ok(pushes(&world, 4, 0) != STN_NOBODY, "of a longer one it pushes");
	tap_ok(pushes(&world, 100, 2) == STN_NOBODY,
	       "not with as many in transit as may be");
	for (int i = 0; i < 16000; i++)
		counts[pushes(&world, 4, 1)]++;
	tap_ok(even(counts, 0, 16, 5), "to all others alike, never to itself");
	init(&world, "rp", 1, 1, 0);
	tap_ok(pushes(&world, 100, 0) == STN_NOBODY,
	       "RP pushes nothing where it is alone");
}

static void
tick(struct world *world, uint32_t load)
{
	world->moves = stn_moves_none();
	world->view.load = load;
	world->balancer->tick(world->state, &world->view, &world->moves);
}

static bool
tell(struct world *world, uint32_t from, uint32_t load)
{
	world->moves = stn_moves_none();
	return world->balancer->told(world->state, &world->view, from, load,
				     &world->moves);
}

static void
test_cls_member(void)
{
	struct world world;

	init(&world, "cls", 16, 4, 5);
	tick(&world, 0);
	tap_ok(world.moves.tell == STN_NOBODY && !world.moves.ask_count,
	       "with CLS a load that hasn't changed isn't told");
	tick(&world, 7);
	tap_ok(world.moves.tell == 4 && !world.moves.ask_count,
	       "one that has, to the coordinator of the cluster");
	tick(&world, 7);
	tap_ok(world.moves.tell == STN_NOBODY, "once");
	world.view.load = 0;
	tap_ok(idle(&world) == 1 && world.moves.tell == 4 &&
		       asked(&world) >= 4 && asked(&world) < 8,
	       "an idle node tells at once, and steals in its cluster");
	refuse(&world, &world.moves.asks[0]);
	idle(&world);
	tap_ok(world.moves.tell == STN_NOBODY, "but tells once");
	tap_ok(!tell(&world, 6, 3), "nobody tells it");
}

static void
test_cls_coordinator(void)
{
	unsigned counts[MOST_NODES] = { 0 };
	struct stn_ask far;
	struct world world;

	init(&world, "cls", 16, 4, 4);
	world.config.cls_threshold = 10;
	tick(&world, 10);
	tap_ok(!world.moves.ask_count,
	       "a coordinator whose cluster has enough asks nobody");
	tell(&world, 6, 3);
	tick(&world, 7);
	tap_ok(!world.moves.ask_count, "the nodes' loads are added up");
	tell(&world, 6, 2);
	far = world.moves.asks[0];
	tap_ok(world.moves.ask_count == 1 && far.asynchronous &&
		       (far.victim < 4 || far.victim >= 8),
	       "when they have too little it asks another cluster, and goes "
	       "on");
	tell(&world, 6, 1);
	tap_ok(!world.moves.ask_count, "one request at a time");
	for (int i = 0; i < 16000; i++) {
		refuse(&world, &far);
		tick(&world, 0);
		far = world.moves.asks[0];
		counts[far.victim]++;
	}
	memmove(&counts[4], &counts[8], 8 * sizeof(counts[0]));
	memset(&counts[12], 0, 8 * sizeof(counts[0]));
	tap_ok(even(counts, 0, 12, MOST_NODES),
	       "it asks the nodes of other clusters, all alike");
}

/*
 * A cluster of seven, and another:
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
	tap_ok(refuse(&world, &ask) && go_on(&world) == 1 &&
		       asked(&world) == 11,
	       "refused, at once its second");
	ask = world.moves.asks[0];
	tap_ok(may_wait(&world, 7), "meanwhile its parent's request may wait");
	tap_ok(refuse(&world, &ask) && go_on(&world) == 1 && asked(&world) == 7,
	       "and when its subtree is idle, its parent");
	ask = world.moves.asks[0];
	tap_ok(!may_wait(&world, 7), "then its parent's request may not wait");
	tap_ok(may_wait(&world, 10), "but a child's may");
	tap_ok(!refuse(&world, &ask), "after which the search was in vain");
	tap_ok(idle(&world) == 1 && asked(&world) == 10,
	       "and the next begins at the first child");
}

static void
test_chs_for_others(void)
{
	struct world world;
	struct stn_ask ask;

	init(&world, "chs", 14, 2, 8);
	let_wait(&world, 7);
	tap_ok(go_on(&world) == 1 && asked(&world) == 10,
	       "a node of CHS that has nothing searches for who asks it");
	ask = world.moves.asks[0];
	tap_ok(!grant(&world, &ask), "what it is granted is for that one");
	world.view.idle = true;
	tap_ok(grant(&world, &ask),
	       "or for the node itself, if it has become idle meanwhile");
	world.view.idle = false;
	let_wait(&world, 10);
	tap_ok(go_on(&world) == 1 && asked(&world) == 11,
	       "a child whose request waits isn't asked");
	ask = world.moves.asks[0];
	refuse(&world, &ask);
	tap_ok(go_on(&world) == 1 && asked(&world) == 7,
	       "for a child it asks its parent");
	let_go(&world);
	ask = world.moves.asks[0];
	refuse(&world, &ask);
	let_wait(&world, 7);
	go_on(&world);
	refuse(&world, &world.moves.asks[0]);
	go_on(&world);
	refuse(&world, &world.moves.asks[0]);
	tap_ok(go_on(&world) == 0, "for its parent it doesn't");
}

/* A record may be no longer wanted; is the search cancelled? */
static bool
cancels(struct world *world)
{
	world->moves = stn_moves_none();
	world->balancer->withdrawn(world->state, &world->view, &world->moves);
	return world->moves.cancel;
}

static void
test_chs_cancel(void)
{
	struct world world;

	init(&world, "chs", 14, 2, 8);
	idle(&world);
	let_wait(&world, 7);
	world.view.idle = false;
	tap_ok(!cancels(&world),
	       "a result that comes cancels no search that others wait for");
	let_go(&world);
	tap_ok(cancels(&world), "when they don't, either, it does");
	init(&world, "chs", 14, 2, 8);
	let_wait(&world, 7);
	go_on(&world);
	let_go(&world);
	world.view.idle = true;
	tap_ok(!cancels(&world), "but not if the node has become idle itself");
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
	tap_ok(even(counts, 0, 16, 5),
	       "a root asks all other roots alike, and waits");
	init(&world, "chs", 3, 1, 0);
	let_wait(&world, 1);
	let_wait(&world, 2);
	tap_ok(idle(&world) == 0, "the root of the only cluster, nobody");
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
	test_cls_member();
	test_cls_coordinator();
	test_crs_requests();
	test_crs_victims();
	test_one_cluster("lrs");
	test_one_cluster("crs");
	test_one_cluster("cls");
	return tap_end();
}
