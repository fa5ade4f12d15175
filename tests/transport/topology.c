/*
 * topology.c: each rank is in exactly one cluster. The clusters are as equal as
 * possible, or have the sizes that they were given.
 */
#include <stdlib.h>
#include <string.h>

#include "node/clusters.h"
#include "tests/tap.h"
#include "transport/topology.h"

/* Do the clusters, in order, cover the ranks without a gap? */
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
	tap_ok(agree,
	       "the cluster of a rank is the one whose ranks include it");
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
		       "the same for 100000 nodes in %u clusters", clusters[i]);
	}
}

/* Clusters of given sizes. */
static bool
has_sizes(const uint32_t *sizes, uint32_t clusters)
{
	uint64_t first[2001] = { 0 };
	struct stn_topology topology = { .clusters = clusters, .first = first };
	bool right = true;

	for (uint32_t i = 0; i < clusters; i++)
		first[i + 1] = first[i] + sizes[i];
	topology.nodes = (uint32_t)first[clusters];
	for (uint32_t i = 0; i < clusters; i++)
		right = right && stn_cluster_size(&topology, i) == sizes[i];
	return right && covers(&topology) && agrees(&topology);
}

static void
test_sizes(void)
{
	static const uint32_t gridlab[] = { 8, 2, 4, 2, 8, 16 };
	static uint32_t many[2000];

	for (uint32_t i = 0; i < 2000; i++)
		many[i] = 1 + i * 7919 % 99;
	tap_ok(has_sizes(gridlab, 6), "clusters of 8, 2, 4, 2, 8 and 16 nodes");
	for (uint32_t clusters = 1; clusters <= 5; clusters++)
		tap_ok(has_sizes(many, clusters),
		       "%u clusters of different sizes", clusters);
	tap_ok(has_sizes(many, 2000), "2000 clusters of different sizes");
}

/* Reads the text as these clusters? @clusters 0: is the text refused? */
static bool
reads(const char *text, uint32_t clusters, uint32_t nodes, const char *sizes)
{
	struct stn_topology topology = { .clusters = clusters };
	uint64_t read_clusters, read_nodes;
	char text_of_sizes[64] = "", *to = text_of_sizes;

	if (stn_clusters_parse(text, 100, &read_clusters, &read_nodes))
		return !clusters;
	if (read_clusters != clusters || read_nodes != nodes)
		return false;
	topology.nodes = nodes ? nodes : clusters;
	if (stn_clusters_apply(text, &topology))
		return false;
	for (uint32_t i = 0; i < clusters && to < text_of_sizes + 50; i++)
		to += sprintf(to, "%u ", stn_cluster_size(&topology, i));
	stn_topology_fini(&topology);
	return !strcmp(text_of_sizes, sizes);
}

static void
test_texts(void)
{
	static const char *const wrong[] = {
		"",
		"0",
		"101",
		"x",
		"2x",
		"x2",
		"0x2",
		"2x0",
		"2x51",
		"1,",
		",1",
		"1,,1",
		"1,0",
		"60,41",
		"1 2",
		"-1",
		"2x2x2",
		"2x2 ",
		"50x3",
		"1,2x50",
		"1,2y3",
		"+1",
		"18446744073709551617",
		"1x18446744073709551617",
	};

	tap_ok(reads("3", 3, 0, "1 1 1 "), "a number of clusters");
	tap_ok(reads("3x4", 3, 12, "4 4 4 "),
	       "a number of clusters and of nodes in each");
	tap_ok(reads("8,2,4", 3, 14, "8 2 4 "),
	       "the number of nodes of each cluster");
	tap_ok(reads("1,2x3,5x1", 8, 12, "1 3 3 1 1 1 1 1 "),
	       "both forms together");
	tap_ok(reads("60,40", 2, 100, "60 40 "),
	       "as many nodes as are allowed");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		tap_ok(reads(wrong[i], 0, 0, ""), "\"%s\" is refused",
		       wrong[i]);
}

static void
test_slow(void)
{
	struct stn_topology topology = { .nodes = 4, .clusters = 2 };

	tap_ok(!stn_topology_slow(&topology),
	       "clusters without a link between them aren't slow");
	topology.wan.latency_ns = 1;
	tap_ok(stn_topology_slow(&topology), "a latency makes them slow");
	topology.wan = (struct stn_link){ .bytes_per_s = 1 };
	tap_ok(stn_topology_slow(&topology), "and so does a bandwidth");
	topology.clusters = 1;
	tap_ok(!stn_topology_slow(&topology), "a single cluster is never slow");
	topology.clusters = 60000;
	tap_ok(stn_topology_queue_bytes(&topology) == 24ull * 60000 * 60000,
	       "each ordered pair of clusters has a queue of its own, even of "
	       "60000");
}

/* Are the ranks of the clusters, and those outside them, numbered in order? */
static bool
numbers(const struct stn_topology *topology)
{
	for (uint32_t rank = 0; rank < topology->nodes; rank++) {
		uint32_t cluster = stn_cluster_of(topology, rank);
		uint32_t number = stn_cluster_number(topology, rank);
		uint32_t other = 0;

		if (number >= stn_cluster_size(topology, cluster) ||
		    stn_cluster_rank(topology, cluster, number) != rank)
			return false;
		for (uint32_t i = 0; i < rank; i++)
			other += stn_cluster_of(topology, i) != 0;
		if (cluster && stn_cluster_outside(topology, 0, other) != rank)
			return false;
	}
	return true;
}

/* Each cluster has its share of late ranks, and no others are reserved. */
static bool
shares(const struct stn_topology *topology, uint32_t early, uint32_t late)
{
	uint32_t sum = 0, first, clusters = topology->clusters;

	for (uint32_t i = 0; i < clusters; i++) {
		uint32_t count = stn_cluster_late(topology, i, &first);

		if (count < late / clusters || count > late / clusters + 1 ||
		    first != early + sum)
			return false;
		sum += count;
	}
	for (uint32_t i = 0; i < topology->nodes; i++)
		if (stn_topology_reserved(topology, i) != (i >= early))
			return false;
	return sum == late && topology->nodes == early + late;
}

static void
test_late(void)
{
	bool share = true, number = true;

	for (uint32_t nodes = 1; nodes <= 20; nodes++)
		for (uint32_t clusters = 1; clusters <= nodes; clusters++)
			for (uint32_t late = 1; late <= 20; late++) {
				struct stn_topology topology = {
					.nodes = nodes, .clusters = clusters
				};

				if (stn_topology_late(&topology, late))
					abort();
				share = share && shares(&topology, nodes, late);
				number = number && numbers(&topology);
				stn_topology_fini(&topology);
			}
	tap_ok(share, "late ranks are shared out evenly, and are reserved");
	tap_ok(number, "a cluster numbers its ranks, with those that are late");
}

static bool
is_named(const struct stn_topology *topology, uint32_t cluster,
	 const char *name)
{
	const char *found = stn_topology_name(topology, cluster);

	return name ? found && !strcmp(found, name) : !found;
}

static void
test_names(void)
{
	struct stn_topology topology = { .nodes = 4, .clusters = 4 };

	tap_ok(is_named(&topology, 0, NULL), "clusters have no names at first");
	tap_ok(!stn_topology_set_names(&topology, "vu") &&
		       !stn_topology_set_names(&topology, "delft  a-b.c") &&
		       is_named(&topology, 0, "delft") &&
		       is_named(&topology, 1, NULL) &&
		       is_named(&topology, 2, "a-b.c") &&
		       is_named(&topology, 3, NULL),
	       "they get those that are given, and no others");
	stn_topology_fini(&topology);
}

int
main(void)
{
	tap_begin();
	test_late();
	test_all_small();
	test_large();
	test_sizes();
	test_texts();
	test_slow();
	test_names();
	return tap_end();
}
