/*
 * What the balancers decide, against the words of the paper. No time passes
 * and nothing is sent: a balancer is asked, and told what came of it.
 */
#include <string.h>

#include "steal/balance.h"
#include "steal/config.h"
#include "tests/tap.h"
#include "transport/transport.h"

#define MOST_NODES 64

struct world {
	const struct stn_balancer *balancer;
	struct stn_config config;
	struct stn_topology topology;
	struct stn_random random;
	struct stn_view view;
	struct stn_held held[MOST_NODES];
	struct stn_moves moves; /* those of the last call */
	uint64_t state[256];
};

static void
init(struct world *world, const char *name, uint32_t nodes, uint32_t clusters,
     uint32_t rank)
{
	memset(world, 0, sizeof(*world));
	world->balancer = stn_balancer_find(name);
	stn_config_defaults(&world->config);
	world->topology.nodes = nodes;
	world->topology.clusters = clusters;
	stn_random_seed(&world->random, 42, rank);
	world->view.topology = &world->topology;
	world->view.config = &world->config;
	world->view.held = world->held;
	world->view.rank = rank;
	world->view.random = &world->random;
}

/* A worker of this node is idle; how many the balancer asks. */
static unsigned
idle(struct world *world)
{
	world->moves = stn_moves_none();
	world->view.idle = true;
	world->balancer->idle(world->state, &world->view, &world->moves);
	return world->moves.ask_count;
}

/* The search goes on; how many the balancer asks. */
static unsigned
go_on(struct world *world)
{
	world->moves = stn_moves_none();
	world->balancer->idle(world->state, &world->view, &world->moves);
	return world->moves.ask_count;
}

static bool
refuse(struct world *world, const struct stn_ask *ask)
{
	return world->balancer->refused(world->state, &world->view, ask, false);
}

static bool
grant(struct world *world, const struct stn_ask *ask)
{
	return world->balancer->granted(world->state, &world->view, ask);
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

/* The request was answered after @us. */
static void
refuse_after(struct world *world, const struct stn_ask *ask, uint64_t us)
{
	world->view.answer = (struct stn_answer){ .took_ns = us * 1000 };
	refuse(world, ask);
}

/* The far one of the last requests; the near one is refused. */
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
test_lrs_requests(void)
{
	struct stn_ask first, second;
	struct world world;

	init(&world, "lrs", 16, 4, 5);
	tap_ok(idle(&world) == 2 && world.moves.asks[0].asynchronous &&
		       !world.moves.asks[1].asynchronous &&
		       world.moves.asks[1].victim / 4 == 1,
	       "LRS asks far away without waiting, and near, waiting");
	first = world.moves.asks[0];
	refuse(&world, &world.moves.asks[1]);
	second = ask_far(&world);
	tap_ok(second.victim != STN_NOBODY &&
		       second.victim / 4 != first.victim / 4,
	       "and then in one more cluster");
	tap_ok(ask_far(&world).victim == STN_NOBODY, "but not in a third");
	refuse(&world, &first);
	first = ask_far(&world);
	tap_ok(first.victim != STN_NOBODY &&
		       first.victim / 4 != second.victim / 4,
	       "until there is an answer");
}

static void
test_lrs_victims(void)
{
	unsigned counts[4] = { 0 };
	struct world world;

	/* Nodes 1 and 2 answer after 10 ms, and node 3 after 40. */
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
lends(struct world *world, struct stn_seen seen, struct stn_loan loan)
{
	struct stn_held thief = { .from = 9, .seen = seen };

	return world->balancer->lends(world->state, &world->view, &thief,
				      &loan);
}

static void
test_lrs_loans(void)
{
	const uint64_t ms = 1000000, mb = 1000000;
	const struct stn_seen nothing = { 0 }, distance = { 80000, 0 },
			      link = { 80000, 1000 };
	struct world world;

	init(&world, "lrs", 16, 4, 5);
	tap_ok(lends(&world, nothing, (struct stn_loan){ 100, 0 }) ==
			       STN_LEND &&
		       lends(&world, nothing, (struct stn_loan){ mb, ms }) ==
			       STN_KEEP,
	       "over an unknown link LRS lends what is small");
	tap_ok(lends(&world, link, (struct stn_loan){ 100, 9 * ms }) ==
			       STN_KEEP &&
		       lends(&world, link, (struct stn_loan){ 100, 11 * ms }) ==
			       STN_LEND,
	       "but nothing that is younger than an eighth of the round trip");
	tap_ok(lends(&world, distance, (struct stn_loan){ mb, 20 * ms }) ==
		       STN_GAUGE,
	       "large records show that the rate has to be known");
	tap_ok(lends(&world, link, (struct stn_loan){ mb, 900 * ms }) ==
			       STN_KEEP &&
		       lends(&world, link,
			     (struct stn_loan){ mb, 1100 * ms }) == STN_LEND,
	       "what takes 1 s to cross must have waited for that");
	world.balancer->ran(world.state, mb / 4, 300 * ms);
	tap_ok(lends(&world, link, (struct stn_loan){ mb, 20 * ms }) ==
			       STN_LEND &&
		       lends(&world, link, (struct stn_loan){ mb / 16, ms }) ==
			       STN_KEEP,
	       "unless larger ones are known to take longer");
	world.balancer->ran(world.state, mb, 500 * ms);
	tap_ok(lends(&world, link, (struct stn_loan){ mb, 1100 * ms }) ==
		       STN_KEEP,
	       "or its like are known to take less");
	init(&world, "lrs", 16, 4, 5);
	world.balancer->ran(world.state, 8, 1ull << 42);
	tap_ok(lends(&world, link, (struct stn_loan){ 1ull << 30, 20 * ms }) ==
		       STN_LEND,
	       "however long, in proportion, they take");
}

/* It learns how fast records come, and tells whom it asks. */
static void
test_lrs_rate(void)
{
	struct world world;
	struct stn_ask ask;

	init(&world, "lrs", 2, 2, 0);
	ask = ask_far(&world);
	tap_ok(!ask.seen.round_trip_us && !ask.seen.kb_per_s,
	       "LRS has seen nothing of a link at first");
	refuse_after(&world, &ask, 20000);
	ask = ask_far(&world);
	tap_ok(ask.seen.round_trip_us == 20001 && !ask.seen.kb_per_s,
	       "and then its round trip");
	world.view.answer = (struct stn_answer){ 120000000, 1000000 };
	grant(&world, &ask);
	ask = ask_far(&world);
	tap_ok(ask.seen.round_trip_us == 20001 && ask.seen.kb_per_s >= 9990 &&
		       ask.seen.kb_per_s <= 10010,
	       "a record of 1 MB that took 100 ms longer shows 10 MB/s");
}

static bool
asks_ahead(struct world *world, uint32_t load)
{
	world->moves = stn_moves_none();
	world->view.load = load;
	world->balancer->tick(world->state, &world->view, &world->moves);
	return world->moves.ask_count == 1 && world->moves.asks[0].asynchronous;
}

static void
test_lrs_ahead(void)
{
	struct world world;

	init(&world, "lrs", 4, 4, 0);
	tap_ok(!asks_ahead(&world, 2) && asks_ahead(&world, 1),
	       "a node alone in its cluster asks before it is idle");
	init(&world, "lrs", 16, 4, 0);
	tap_ok(world.balancer->tick(world.state, &world.view, &world.moves) ==
		       STN_FOREVER,
	       "others don't");
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
	test_lrs_requests();
	test_lrs_victims();
	test_lrs_loans();
	test_lrs_rate();
	test_lrs_ahead();
	test_one_cluster("lrs");
	test_one_cluster("crs");
	test_one_cluster("cls");
	return tap_end();
}
