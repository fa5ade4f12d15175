#include "parts/survive/keeper.h"

/* Whether node @rank can have copies of parts of this one. */
static bool
can_keep(const struct stn_node *node, uint32_t rank, bool other_host)
{
	return rank != node->rank && stn_members_stays(&node->members, rank) &&
	       !(other_host && stn_transport_same_host(node->transport, rank));
}

/*
 * A node of cluster @cluster, or STN_NOBODY: the first one behind this node's
 * place; with @other_host, the @skip'th one on another host.
 */
static uint32_t
find_keeper(const struct stn_node *node, uint32_t cluster, bool other_host,
	    uint32_t skip)
{
	uint32_t size = stn_cluster_size(node->topology, cluster);

	for (uint32_t i = 1; i <= size; i++) {
		uint32_t rank = stn_cluster_rank(node->topology, cluster,
						 (node->rank + i) % size);

		if (can_keep(node, rank, other_host) && !skip--)
			return rank;
	}
	return STN_NOBODY;
}

/* Nodes of this cluster with lower ranks that stay, on this host. */
static uint32_t
count_neighbours(const struct stn_node *node)
{
	uint32_t size = stn_cluster_size(node->topology, node->cluster);
	uint32_t count = 0;

	for (uint32_t i = 0; i < size; i++) {
		uint32_t rank =
			stn_cluster_rank(node->topology, node->cluster, i);

		count += rank < node->rank && can_keep(node, rank, false) &&
			 !can_keep(node, rank, true);
	}
	return count;
}

uint32_t
stn_keeper_choose(const struct stn_node *node)
{
	uint32_t clusters = node->topology->clusters, rank = STN_NOBODY;

	for (uint32_t i = 1; i < clusters && rank == STN_NOBODY; i++)
		rank = find_keeper(node, (node->cluster + i) % clusters, false,
				   0);
	if (rank == STN_NOBODY)
		rank = find_keeper(node, node->cluster, true,
				   count_neighbours(node));
	if (rank == STN_NOBODY)
		rank = find_keeper(node, node->cluster, true, 0);
	return rank != STN_NOBODY ? rank
				  : find_keeper(node, node->cluster, false, 0);
}
