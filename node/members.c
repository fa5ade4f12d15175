#include "node/members.h"

#include <stdlib.h>
#include <string.h>

static bool
bit_get(const uint64_t *bits, uint32_t rank)
{
	return bits[rank / 64] >> rank % 64 & 1;
}

static void
bit_set(uint64_t *bits, uint32_t rank)
{
	bits[rank / 64] |= UINT64_C(1) << rank % 64;
}

/* The first living rank from @rank on, or STN_NOBODY. */
static uint32_t
next_living(const struct stn_members *members, uint32_t rank)
{
	while (rank < members->topology->nodes &&
	       !stn_members_has(members, rank))
		rank++;
	return rank < members->topology->nodes ? rank : STN_NOBODY;
}

/* Counts a node that lives. */
static void
members_count(struct stn_members *members, uint32_t rank)
{
	uint32_t cluster = stn_cluster_of(members->topology, rank);

	members->living++;
	members->begun++;
	members->clusters += !members->in_cluster[cluster]++;
}

enum stn_err
stn_members_init(struct stn_members *members,
		 const struct stn_topology *topology)
{
	size_t words = topology->nodes / 64 + 1;

	*members = (struct stn_members){
		.topology = topology,
		.in_cluster = calloc(topology->clusters, sizeof(uint32_t)),
		.gone = calloc(words, sizeof(uint64_t)),
		.absent = calloc(words, sizeof(uint64_t)),
		.leaving = calloc(words, sizeof(uint64_t)),
	};
	if (!members->in_cluster || !members->gone || !members->absent ||
	    !members->leaving) {
		stn_members_fini(members);
		return STN_NO_MEMORY;
	}
	if (topology->reserved)
		memcpy(members->absent, topology->reserved,
		       words * sizeof(uint64_t));
	for (uint32_t i = 0; i < topology->nodes; i++)
		if (stn_members_has(members, i))
			members_count(members, i);
	members->root = next_living(members, 0);
	return STN_OK;
}

enum stn_err
stn_members_begin(struct stn_members *members,
		  const struct stn_topology *topology)
{
	if (topology->reserved)
		return stn_members_init(members, topology);
	*members = (struct stn_members){
		.topology = topology,
		.living = topology->nodes,
		.begun = topology->nodes,
		.clusters = topology->clusters,
	};
	return STN_OK;
}

enum stn_err
stn_members_let_change(struct stn_members *members)
{
	return members->absent ? STN_OK
			       : stn_members_init(members, members->topology);
}

void
stn_members_fini(struct stn_members *members)
{
	free(members->in_cluster);
	free(members->gone);
	free(members->absent);
	free(members->leaving);
	members->in_cluster = NULL;
	members->gone = members->absent = members->leaving = NULL;
}

void
stn_members_remove(struct stn_members *members, uint32_t rank)
{
	uint32_t cluster = stn_cluster_of(members->topology, rank);

	if (!stn_members_has(members, rank))
		return;
	members->leavers -= !stn_members_stays(members, rank);
	bit_set(members->gone, rank);
	bit_set(members->absent, rank);
	members->living--;
	if (!--members->in_cluster[cluster])
		members->clusters--;
	if (members->root == rank)
		members->root = next_living(members, rank);
}

bool
stn_members_add(struct stn_members *members, uint32_t rank)
{
	if (!bit_get(members->absent, rank) || bit_get(members->gone, rank) ||
	    rank < members->root)
		return false;
	members->absent[rank / 64] &= ~(UINT64_C(1) << rank % 64);
	members_count(members, rank);
	return true;
}

void
stn_members_leave(struct stn_members *members, uint32_t rank)
{
	if (!stn_members_stays(members, rank))
		return;
	bit_set(members->leaving, rank);
	members->leavers++;
}

/* Whether all ranks of the cluster live: then numbers need no counting. */
static bool
all_live(const struct stn_members *members, uint32_t cluster)
{
	return stn_members_in(members, cluster) ==
	       stn_cluster_size(members->topology, cluster);
}

uint32_t
stn_members_number(const struct stn_members *members, uint32_t rank)
{
	const struct stn_topology *topology = members->topology;
	uint32_t cluster = stn_cluster_of(topology, rank);
	uint32_t before = stn_cluster_number(topology, rank), number = 0;

	if (all_live(members, cluster))
		return before;
	for (uint32_t i = 0; i < before; i++)
		number += stn_members_has(
			members, stn_cluster_rank(topology, cluster, i));
	return number;
}

uint32_t
stn_members_at(const struct stn_members *members, uint32_t cluster,
	       uint32_t number)
{
	if (number >= stn_members_in(members, cluster))
		return STN_NOBODY;
	if (all_live(members, cluster))
		return stn_cluster_rank(members->topology, cluster, number);
	for (uint32_t i = 0;; i++) {
		uint32_t rank = stn_cluster_rank(members->topology, cluster, i);

		if (stn_members_has(members, rank) && !number--)
			return rank;
	}
}

/* How many of the first @size ranks of the cluster stay. */
static uint32_t
count_staying(const struct stn_members *members, uint32_t cluster,
	      uint32_t size)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < size; i++)
		count += stn_members_stays(
			members,
			stn_cluster_rank(members->topology, cluster, i));
	return count;
}

uint32_t
stn_members_staying(const struct stn_members *members, uint32_t cluster)
{
	if (!members->leavers)
		return stn_members_in(members, cluster);
	return count_staying(members, cluster,
			     stn_cluster_size(members->topology, cluster));
}

uint32_t
stn_members_staying_number(const struct stn_members *members, uint32_t rank)
{
	const struct stn_topology *topology = members->topology;

	if (!members->leavers)
		return stn_members_number(members, rank);
	return count_staying(members, stn_cluster_of(topology, rank),
			     stn_cluster_number(topology, rank));
}

uint32_t
stn_members_staying_at(const struct stn_members *members, uint32_t cluster,
		       uint32_t number)
{
	uint32_t size = stn_cluster_size(members->topology, cluster);

	if (!members->leavers)
		return stn_members_at(members, cluster, number);
	for (uint32_t i = 0; i < size; i++) {
		uint32_t rank = stn_cluster_rank(members->topology, cluster, i);

		if (stn_members_stays(members, rank) && !number--)
			return rank;
	}
	return STN_NOBODY;
}

uint32_t
stn_members_head(const struct stn_members *members, uint32_t cluster)
{
	uint32_t head = stn_members_staying_at(members, cluster, 0);

	return head != STN_NOBODY ? head : stn_members_at(members, cluster, 0);
}
