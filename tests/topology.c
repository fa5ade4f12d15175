/*
 * topology.c: ranks are dealt to clusters so that each is in exactly one, and
 * as evenly as possible.
 */
#include "tests/tap.h"
#include "transport/topology.h"

/* Walks the clusters in order: do they cover the ranks, without a gap? */
static bool
covers(const struct stn_topology *topology)
{
	uint32_t next = 0;

	for (uint32_t i = 0; i < topology->clusters; i++) {
		if (stn_cluster_first(topology, i) != next)
			return false;
		next += stn_cluster_size(topology, i);
	}
	return next == topology->nodes;
}

/* The first nodes % clusters have one node more than the others. */
static bool
even(const struct stn_topology *topology)
{
	uint32_t least = topology->nodes / topology->clusters;
	uint32_t more = topology->nodes % topology->clusters;

	for (uint32_t i = 0; i < topology->clusters; i++)
		if (stn_cluster_size(topology, i) != least + (i < more))
			return false;
	return least >= 1;
}

static bool
agrees(const struct stn_topology *topology)
{
	for (uint32_t i = 0; i < topology->clusters; i++) {
		uint32_t first = stn_cluster_first(topology, i);
		uint32_t size = stn_cluster_size(topology, i);

		for (uint32_t rank = first; rank < first + size; rank++)
			if (stn_cluster_of(topology, rank) != i)
				return false;
	}
	return true;
}

static void
test_all_small(void)
{
	bool cover = true, are_even = true, agree = true;

	for (uint32_t nodes = 1; nodes <= 100; nodes++) {
		for (uint32_t clusters = 1; clusters <= nodes; clusters++) {
			struct stn_topology topology = { .nodes = nodes,
							 .clusters = clusters };

			cover = cover && covers(&topology);
			are_even = are_even && even(&topology);
			agree = agree && agrees(&topology);
		}
	}
	tap_ok(cover, "every rank is in exactly one cluster, for all clusters "
		      "of up to 100 nodes");
	tap_ok(are_even, "the first clusters have at most one node more");
	tap_ok(agree, "a rank's cluster is the one that has it");
}

static void
test_large(void)
{
	static const uint32_t clusters[] = {
		1, 2, 3, 7, 1000, 33333, 50000, 50001, 99999, 100000
	};

	for (size_t i = 0; i < sizeof(clusters) / sizeof(clusters[0]); i++) {
		struct stn_topology topology = { .nodes = 100000,
						 .clusters = clusters[i] };

		tap_ok(covers(&topology) && even(&topology) &&
			       agrees(&topology),
		       "and so for 100000 nodes in %u clusters", clusters[i]);
	}
}

static void
test_slow(void)
{
	struct stn_topology topology = { 4, 2, { 0, 0 }, NULL };

	tap_ok(!stn_topology_slow(&topology),
	       "clusters without a link between them aren't slow");
	topology.wan.latency_ns = 1;
	tap_ok(stn_topology_slow(&topology), "a latency makes them slow");
	topology.wan = (struct stn_link){ 0, 1 };
	tap_ok(stn_topology_slow(&topology), "and so does a bandwidth");
	topology.clusters = 1;
	tap_ok(!stn_topology_slow(&topology), "but not a single cluster");
	topology.clusters = 60000;
	tap_ok(stn_topology_busy_bytes(&topology) == 8ull * 60000 * 60000,
	       "each ordered pair of clusters has a word of its own, even of "
	       "60000");
}

int
main(void)
{
	tap_begin();
	test_all_small();
	test_large();
	test_slow();
	return tap_end();
}
