/*
 * late_choice.c: the cluster that nodes of a host join.
 */
#include "launch/run/late_choice.h"
#include "tests/tap.h"
#include "transport/topology.h"

int
main(void)
{
	static const struct stn_late_cluster clusters[] = {
		{ 2, 5 }, { 4, 7 }, { 4, 7 }, { 0, 1 }
	};
	static const struct stn_late_cluster full[] = { { 0, 1 }, { 0, 2 } };

	tap_begin();
	tap_ok(stn_late_choice(clusters, 4, 1) == 0,
	       "the cluster with the fewest nodes, if it has room");
	tap_ok(stn_late_choice(clusters, 4, 3) == 1,
	       "a cluster with room for all nodes; of equal ones the first");
	tap_ok(stn_late_choice(clusters, 4, 9) == 1,
	       "the cluster with the most room, if none has room for all");
	tap_ok(stn_late_choice(full, 2, 1) == STN_NOBODY &&
		       stn_late_choice(full, 0, 1) == STN_NOBODY,
	       "no cluster, if none has room");
	return tap_end();
}
