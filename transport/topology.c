#include "transport/topology.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void
stn_topology_fini(struct stn_topology *topology)
{
	free(topology->links);
	free(topology->starts_ns);
	free(topology->first);
	free(topology->reserved);
	free(topology->names);
	topology->names = NULL;
	topology->name_count = 0;
	topology->reserved = NULL;
	topology->links = NULL;
	topology->starts_ns = NULL;
	topology->first = NULL;
}

/* The names stand behind the pointers to them, in one piece of memory. */
enum stn_err
stn_topology_set_names(struct stn_topology *topology, const char *text)
{
	uint32_t count = 1;
	const char **names;
	char *copy;

	for (const char *at = text; *at; at++)
		count += *at == ' ';
	names = calloc(1, count * sizeof(names[0]) + strlen(text) + 1);
	if (!names)
		return STN_NO_MEMORY;
	copy = strcpy((char *)(names + count), text);
	for (uint32_t i = 0; i < count; i++)
		names[i] = strsep(&copy, " ");
	free(topology->names);
	topology->names = names;
	topology->name_count = count;
	return STN_OK;
}

const char *
stn_topology_name(const struct stn_topology *topology, uint32_t cluster)
{
	return cluster < topology->name_count && *topology->names[cluster]
		       ? topology->names[cluster]
		       : NULL;
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

enum stn_err
stn_topology_late(struct stn_topology *topology, uint32_t count)
{
	uint32_t nodes = topology->nodes, clusters = topology->clusters;
	uint64_t *first = calloc(2 * (size_t)clusters + 1, sizeof(first[0]));

	assert(!topology->reserved); /* its size is that of all nodes */
	if (!first)
		return STN_NO_MEMORY;
	for (uint32_t i = 0; i < clusters; i++)
		first[i] = stn_cluster_first(topology, i);
	for (uint32_t i = 0; i <= clusters; i++)
		first[clusters + i] =
			nodes + (uint64_t)i * (count / clusters) +
			(i < count % clusters ? i : count % clusters);
	free(topology->first);
	topology->first = first;
	topology->late = true;
	topology->nodes = nodes + count;
	return stn_topology_reserve(topology, nodes, count);
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

/* The number of ranks of the cluster that are not late. */
static uint32_t
early_size(const struct stn_topology *topology, uint32_t cluster)
{
	return (uint32_t)(topology->first[cluster + 1] -
			  topology->first[cluster]);
}

uint32_t
stn_cluster_late(const struct stn_topology *topology, uint32_t cluster,
		 uint32_t *first_p)
{
	const uint64_t *late;

	*first_p = 0;
	if (!topology->late)
		return 0;
	late = &topology->first[topology->clusters + cluster];
	*first_p = (uint32_t)late[0];
	return (uint32_t)(late[1] - late[0]);
}

uint32_t
stn_cluster_size(const struct stn_topology *topology, uint32_t cluster)
{
	uint32_t more = topology->nodes % topology->clusters, late;

	if (!topology->first)
		return topology->nodes / topology->clusters + (cluster < more);
	return early_size(topology, cluster) +
	       stn_cluster_late(topology, cluster, &late);
}

uint32_t
stn_cluster_rank(const struct stn_topology *topology, uint32_t cluster,
		 uint32_t number)
{
	uint32_t early, late;

	if (!topology->late)
		return stn_cluster_first(topology, cluster) + number;
	early = early_size(topology, cluster);
	stn_cluster_late(topology, cluster, &late);
	return number < early ? stn_cluster_first(topology, cluster) + number
			      : late + number - early;
}

uint32_t
stn_cluster_number(const struct stn_topology *topology, uint32_t rank)
{
	uint32_t cluster = stn_cluster_of(topology, rank), late;

	if (!stn_cluster_late(topology, cluster, &late) || rank < late)
		return rank - stn_cluster_first(topology, cluster);
	return early_size(topology, cluster) + rank - late;
}

uint32_t
stn_cluster_outside(const struct stn_topology *topology, uint32_t cluster,
		    uint32_t number)
{
	uint32_t first = 0;
	uint32_t count = stn_cluster_late(topology, cluster, &first);

	if (number >= stn_cluster_first(topology, cluster))
		number += stn_cluster_size(topology, cluster) - count;
	return count && number >= first ? number + count : number;
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

	if (topology->late)
		return last_at_most(topology->first, 2 * topology->clusters,
				    rank) %
		       topology->clusters;
	if (topology->first)
		return last_at_most(topology->first, topology->clusters, rank);
	if (rank < in_larger)
		return rank / (size + 1);
	return more + (rank - in_larger) / size;
}

bool
stn_link_none(const struct stn_link *link)
{
	return !link->latency_ns && !link->bytes_per_s && !link->jitter_ns &&
	       !link->loss_ppm;
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
