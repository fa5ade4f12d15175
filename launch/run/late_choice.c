#include "launch/run/late_choice.h"

#include "transport/topology.h"

/* Measurements of one distance differ by an eighth, or by so much. */
#define EQUAL_NS 100000

static uint32_t
most_room(const struct stn_late_cluster *clusters, uint32_t count)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < count; i++)
		most = clusters[i].room > most ? clusters[i].room : most;
	return most;
}

/* The shortest round trip to a cluster with room for @wanted nodes. */
static uint64_t
shortest_ns(const struct stn_late_cluster *clusters, uint32_t count,
	    uint32_t wanted)
{
	uint64_t shortest = UINT64_MAX;

	for (uint32_t i = 0; i < count; i++)
		if (clusters[i].room >= wanted &&
		    clusters[i].round_trip_ns < shortest)
			shortest = clusters[i].round_trip_ns;
	return shortest;
}

uint32_t
stn_late_choice(const struct stn_late_cluster *clusters, uint32_t count,
		uint32_t wanted)
{
	uint32_t best = STN_NOBODY, most = most_room(clusters, count);
	uint64_t near, equal;

	wanted = wanted < most ? wanted : most;
	near = shortest_ns(clusters, count, wanted);
	equal = near / 8 > EQUAL_NS ? near / 8 : EQUAL_NS;
	for (uint32_t i = 0; wanted && i < count; i++)
		if (clusters[i].room >= wanted &&
		    clusters[i].round_trip_ns - near <= equal &&
		    (best == STN_NOBODY ||
		     clusters[i].nodes < clusters[best].nodes))
			best = i;
	return best;
}
