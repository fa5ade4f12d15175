#include "node/members.h"

#include <stdlib.h>

enum stn_err
stn_members_init(struct stn_members *members,
		 const struct stn_topology *topology)
{
	*members = (struct stn_members){
		.topology = topology,
		.living = topology->nodes,
		.clusters = topology->clusters,
		.in_cluster = malloc(topology->clusters * sizeof(uint32_t)),
		.gone = calloc(topology->nodes / 64 + 1, sizeof(uint64_t)),
		.leaving = calloc(topology->nodes / 64 + 1, sizeof(uint64_t)),
	};
	if (!members->in_cluster || !members->gone || !members->leaving) {
		stn_members_fini(members);
		return STN_NO_MEMORY;
	}
	for (uint32_t i = 0; i < topology->clusters; i++)
		members->in_cluster[i] = stn_cluster_size(topology, i);
	return STN_OK;
}

void
stn_members_fini(struct stn_members *members)
{
	free(members->in_cluster);
	free(members->gone);
	free(members->leaving);
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

void
stn_members_remove(struct stn_members *members, uint32_t rank)
{
	uint32_t cluster = stn_cluster_of(members->topology, rank);

	if (!stn_members_has(members, rank))
		return;
	members->leavers -= !stn_members_stays(members, rank);
	members->gone[rank / 64] |= UINT64_C(1) << rank % 64;
	members->living--;
	if (!--members->in_cluster[cluster])
		members->clusters--;
	if (members->root == rank)
		members->root = next_living(members, rank);
}

void
stn_members_leave(struct stn_members *members, uint32_t rank)
{
	if (!stn_members_stays(members, rank))
		return;
	members->leaving[rank / 64] |= UINT64_C(1) << rank % 64;
	members->leavers++;
}

uint32_t
stn_members_number(const struct stn_members *members, uint32_t rank)
{
	uint32_t first = stn_cluster_first(
		members->topology, stn_cluster_of(members->topology, rank));
	uint32_t number = 0;

	for (uint32_t i = first; i < rank; i++)
		number += stn_members_has(members, i);
	return number;
}

uint32_t
stn_members_at(const struct stn_members *members, uint32_t cluster,
	       uint32_t number)
{
	uint32_t rank = stn_cluster_first(members->topology, cluster);

	if (number >= members->in_cluster[cluster])
		return STN_NOBODY;
	for (;; rank++)
		if (stn_members_has(members, rank) && !number--)
			return rank;
}
