/*
 * What the balancers decide, against the words of the paper. No time passes
 * and nothing is sent: a balancer is asked, and told what came of it.
 */
#include <string.h>

#include "steal/balance.h"
#include "tests/tap.h"

#define MOST_NODES 64

struct world {
	const struct stn_balancer *balancer;
	struct stn_topology topology;
	struct stn_random random;
	struct stn_view view;
	uint64_t state[8];
};

static void
init(struct world *world, const char *name, uint32_t nodes, uint32_t clusters,
     uint32_t rank)
{
	memset(world, 0, sizeof(*world));
	world->balancer = stn_balancer_find(name);
	world->topology.nodes = nodes;
	world->topology.clusters = clusters;
	stn_random_seed(&world->random, 42, rank);
	world->view.topology = &world->topology;
	world->view.rank = rank;
	world->view.random = &world->random;
}

static unsigned
idle(struct world *world, struct stn_ask asks[STN_ASKS])
{
	return world->balancer->idle(world->state, &world->view, 0, asks);
}

static void
refuse(struct world *world, const struct stn_ask *ask)
{
	world->balancer->refused(world->state, ask, 0);
}

/* Asks a thousand times for each other node; says how often each was asked. */
static void
census(struct world *world, unsigned counts[MOST_NODES], bool asynchronous)
{
	struct stn_ask asks[STN_ASKS];

	memset(counts, 0, MOST_NODES * sizeof(counts[0]));
	for (unsigned i = 0; i < 1000 * world->topology.nodes; i++) {
		unsigned count = idle(world, asks);

		for (unsigned j = 0; j < count; j++) {
			if (asks[j].asynchronous == asynchronous)
				counts[asks[j].victim]++;
			refuse(world, &asks[j]);
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
	struct stn_ask asks[STN_ASKS];
	struct world world;

	init(&world, "rs", 16, 4, 5);
	tap_ok(idle(&world, asks) == 1 && !asks[0].asynchronous,
	       "RS asks one node, and waits");
	census(&world, counts, false);
	tap_ok(even(counts, 0, 16, 5), "RS asks all others alike, whatever "
				       "their cluster, never itself");
	init(&world, "rs", 1, 1, 0);
	tap_ok(idle(&world, asks) == 0, "RS asks nobody where it is alone");
}

static void
test_crs_requests(void)
{
	struct stn_ask asks[STN_ASKS], first;
	struct world world;

	init(&world, "crs", 16, 4, 5);
	tap_ok(idle(&world, asks) == 2 && asks[0].asynchronous &&
		       !asks[1].asynchronous,
	       "CRS asks far away without waiting, and near, waiting");
	first = asks[0];
	refuse(&world, &asks[1]);
	tap_ok(idle(&world, asks) == 1 && !asks[0].asynchronous,
	       "while a far request is out it asks only near");
	world.balancer->granted(world.state, &asks[0], 0);
	tap_ok(idle(&world, asks) == 1 && !asks[0].asynchronous,
	       "a near grant doesn't end the far request");
	world.balancer->granted(world.state, &first, 0);
	tap_ok(idle(&world, asks) == 2 && asks[0].asynchronous,
	       "after the far grant it asks far again");
	refuse(&world, &asks[0]);
	tap_ok(idle(&world, asks) == 2 && asks[0].asynchronous,
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

/* On one cluster CRS asks whom RS asks, in the same order. */
static void
test_one_cluster(void)
{
	struct stn_ask rs_asks[STN_ASKS], crs_asks[STN_ASKS];
	struct world rs, crs;
	bool same = true;

	init(&rs, "rs", 9, 1, 4);
	init(&crs, "crs", 9, 1, 4);
	for (int i = 0; i < 1000; i++) {
		same = same && idle(&rs, rs_asks) == 1 &&
		       idle(&crs, crs_asks) == 1 &&
		       rs_asks[0].victim == crs_asks[0].victim &&
		       !crs_asks[0].asynchronous;
		refuse(&rs, rs_asks);
		refuse(&crs, crs_asks);
	}
	tap_ok(same, "on one cluster CRS is RS");
}

int
main(void)
{
	tap_begin();
	tap_ok(!stn_balancer_find("fifo"), "there is no balancer \"fifo\"");
	test_rs();
	test_crs_requests();
	test_crs_victims();
	test_one_cluster();
	return tap_end();
}
