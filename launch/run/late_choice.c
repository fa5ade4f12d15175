#include "launch/run/late_choice.h"

#include "transport/topology.h"

uint32_t
stn_late_choice(const struct stn_late_cluster *clusters, uint32_t count,
		uint32_t wanted)
{
	uint32_t best = STN_NOBODY, most = 0;

	for (uint32_t i = 0; i < count; i++)
		most = clusters[i].room > most ? clusters[i].room : most;
	wanted = wanted < most ? wanted : most;
	for (uint32_t i = 0; wanted && i < count; i++)
		if (clusters[i].room >= wanted &&
		    (best == STN_NOBODY ||
		     clusters[i].nodes < clusters[best].nodes))
			best = i;
	return best;
}
