#include "transport/topology.h"

uint32_t
stn_cluster_size(const struct stn_topology *topology, uint32_t cluster)
{
	uint32_t more = topology->nodes % topology->clusters;

	return topology->nodes / topology->clusters + (cluster < more);
}

uint32_t
stn_cluster_first(const struct stn_topology *topology, uint32_t cluster)
{
	uint32_t more = topology->nodes % topology->clusters;

	return cluster * (topology->nodes / topology->clusters) +
	       (cluster < more ? cluster : more);
}

uint32_t
stn_cluster_of(const struct stn_topology *topology, uint32_t rank)
{
	uint32_t size = topology->nodes / topology->clusters;
	uint32_t more = topology->nodes % topology->clusters;
	uint32_t in_larger = more * (size + 1);

	if (rank < in_larger)
		return rank / (size + 1);
	return more + (rank - in_larger) / size;
}

bool
stn_topology_slow(const struct stn_topology *topology)
{
	return topology->clusters > 1 &&
	       (topology->links || topology->wan.latency_ns ||
		topology->wan.bytes_per_s);
}

const struct stn_link *
stn_topology_link(const struct stn_topology *topology, uint32_t from,
		  uint32_t to)
{
	size_t at = (size_t)from * topology->clusters + to;

	return topology->links ? &topology->links[at] : &topology->wan;
}

size_t
stn_topology_busy_bytes(const struct stn_topology *topology)
{
	return sizeof(stn_link_busy) * topology->clusters * topology->clusters;
}
