#include "transport/topology.h"

#include <stdlib.h>

void
stn_topology_fini(struct stn_topology *topology)
{
	free(topology->links);
	free(topology->starts_ns);
	free(topology->first);
	free(topology->reserved);
	topology->reserved = NULL;
	topology->links = NULL;
	topology->starts_ns = NULL;
	topology->first = NULL;
}

enum stn_err
stn_topology_reserve(struct stn_topology *topology, uint32_t first,
		     uint32_t count)
{
	if (!topology->reserved)
		topology->reserved =
			calloc(topology->nodes / 64 + 1, sizeof(uint64_t));
	if (!topology->reserved)
		return STN_NO_MEMORY;
	for (uint32_t i = first; i < first + count; i++)
		topology->reserved[i / 64] |= UINT64_C(1) << i % 64;
	return STN_OK;
}

bool
stn_topology_reserved(const struct stn_topology *topology, uint32_t rank)
{
	return topology->reserved &&
	       topology->reserved[rank / 64] >> rank % 64 & 1;
}

void
stn_topology_begin(struct stn_topology *topology)
{
	topology->begin_ns = stn_machine_now(NULL);
}

uint32_t
stn_cluster_first(const struct stn_topology *topology, uint32_t cluster)
{
	uint32_t more = topology->nodes % topology->clusters;

	if (topology->first)
		return (uint32_t)topology->first[cluster];
	return cluster * (topology->nodes / topology->clusters) +
	       (cluster < more ? cluster : more);
}

uint32_t
stn_cluster_size(const struct stn_topology *topology, uint32_t cluster)
{
	uint32_t more = topology->nodes % topology->clusters;

	if (topology->first)
		return (uint32_t)(topology->first[cluster + 1] -
				  topology->first[cluster]);
	return topology->nodes / topology->clusters + (cluster < more);
}

/*
 * The index of the last of @count rising numbers that is at most @number. The
 * first number must be.
 */
static uint32_t
last_at_most(const uint64_t *numbers, uint32_t count, uint64_t number)
{
	uint32_t at = 0;

	while (count > 1) {
		uint32_t half = count / 2;

		if (numbers[at + half] <= number)
			at += half;
		count -= half;
	}
	return at;
}

uint32_t
stn_cluster_of(const struct stn_topology *topology, uint32_t rank)
{
	uint32_t size = topology->nodes / topology->clusters;
	uint32_t more = topology->nodes % topology->clusters;
	uint32_t in_larger = more * (size + 1);

	if (topology->first)
		return last_at_most(topology->first, topology->clusters, rank);
	if (rank < in_larger)
		return rank / (size + 1);
	return more + (rank - in_larger) / size;
}

bool
stn_link_none(const struct stn_link *link)
{
	return !link->latency_ns && !link->bytes_per_s && !link->jitter_ns;
}

bool
stn_topology_slow(const struct stn_topology *topology)
{
	return topology->clusters > 1 &&
	       (topology->links || !stn_link_none(&topology->wan));
}

size_t
stn_topology_link(const struct stn_topology *topology, uint32_t from,
		  uint32_t to)
{
	return (size_t)from * topology->clusters + to;
}

struct stn_profile
stn_topology_profile(const struct stn_topology *topology, size_t link)
{
	const struct stn_link *links = topology->links;

	return (struct stn_profile){
		.links = links ? &links[link] : &topology->wan,
		.stride = (size_t)topology->clusters * topology->clusters,
		.starts_ns = topology->starts_ns,
		.count = links ? topology->sections : 1,
		.begin_ns = topology->begin_ns,
		.seed = topology->seed,
		.number = link,
		.share = topology->share,
		.shares = topology->shares,
	};
}

const struct stn_link *
stn_profile_at(const struct stn_profile *profile, uint64_t now_ns)
{
	uint64_t since =
		now_ns > profile->begin_ns ? now_ns - profile->begin_ns : 0;

	if (profile->count == 1)
		return profile->links;
	return &profile->links[profile->stride *
			       last_at_most(profile->starts_ns, profile->count,
					    since)];
}

size_t
stn_topology_queue_bytes(const struct stn_topology *topology)
{
	return sizeof(struct stn_link_queue) * topology->clusters *
	       topology->clusters;
}
