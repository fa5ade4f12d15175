/*
 * late_choice.c: the cluster that nodes of a host join.
 */
#include "launch/run/late_choice.h"
#include "launch/run/probe.h"
#include "tests/tap.h"
#include "transport/topology.h"

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)

static void
test_sizes(void)
{
	static const struct stn_late_cluster clusters[] = {
		{ 2, 5, 0 }, { 4, 7, 0 }, { 4, 7, 0 }, { 0, 1, 0 }
	};
	static const struct stn_late_cluster full[] = { { 0, 1, 0 },
							{ 0, 2, 0 } };

	tap_ok(stn_late_choice(clusters, 4, 1) == 0,
	       "the cluster with the fewest nodes, if it has room");
	tap_ok(stn_late_choice(clusters, 4, 3) == 1,
	       "a cluster with room for all nodes; of equal ones the first");
	tap_ok(stn_late_choice(clusters, 4, 9) == 1,
	       "the cluster with the most room, if none has room for all");
	tap_ok(stn_late_choice(full, 2, 1) == STN_NOBODY &&
		       stn_late_choice(full, 0, 1) == STN_NOBODY,
	       "no cluster, if none has room");
}

/* Of two clusters with these round trips, of which the first has more nodes. */
static uint32_t
nearer(uint64_t first_ns, uint64_t second_ns)
{
	const struct stn_late_cluster clusters[] = { { 4, 9, first_ns },
						     { 4, 1, second_ns } };

	return stn_late_choice(clusters, 2, 1);
}

static void
test_distances(void)
{
	static const struct stn_late_cluster full[] = { { 1, 1, 1 * MS },
							{ 2, 1, 90 * MS },
							{ 2, 1, 50 * MS } };

	tap_ok(nearer(10 * MS, 50 * MS) == 0, "the nearest cluster");
	tap_ok(nearer(80 * MS, 90 * MS) == 1 && nearer(80 * MS, 91 * MS) == 0,
	       "the one with fewer nodes, if it is farther by an eighth");
	tap_ok(nearer(20 * US, 120 * US) == 1 && nearer(20 * US, 121 * US) == 0,
	       "or by 100 us");
	tap_ok(nearer(90 * MS, STN_PROBE_FAR) == 0 &&
		       nearer(STN_PROBE_FAR, 90 * MS) == 1,
	       "a cluster that can't be reached is far");
	tap_ok(nearer(STN_PROBE_FAR, STN_PROBE_FAR) == 1,
	       "the one with fewer nodes, if none can be reached");
	tap_ok(stn_late_choice(full, 3, 2) == 2,
	       "the nearest one with room for all nodes");
}

int
main(void)
{
	tap_begin();
	test_sizes();
	test_distances();
	return tap_end();
}
