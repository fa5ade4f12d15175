#include "node/membership_tree.h"

#define FANOUT STN_MEMBERSHIP_FANOUT

/*
 * The number of the head of @cluster. The root is number 0, though a node may
 * have joined a cluster before the root's.
 */
static uint32_t
head_number(const struct stn_members *members, uint32_t cluster)
{
	uint32_t first = stn_cluster_of(members->topology, members->root);
	uint32_t number = 1;

	if (cluster == first)
		return 0;
	for (uint32_t i = 0; i < cluster; i++)
		number += i != first && stn_members_in(members, i);
	return number;
}

/* The head with that number, or STN_NOBODY. */
static uint32_t
head_at(const struct stn_members *members, uint32_t number)
{
	uint32_t first = stn_cluster_of(members->topology, members->root);

	if (!number)
		return members->root;
	for (uint32_t i = 0; i < members->topology->clusters; i++)
		if (i != first && stn_members_in(members, i) && !--number)
			return stn_members_at(members, i, 0);
	return STN_NOBODY;
}

uint32_t
stn_membership_parent(const struct stn_members *members, uint32_t rank,
		      uint32_t cluster)
{
	uint32_t number = stn_members_number(members, rank);

	if (number)
		return stn_members_at(members, cluster, (number - 1) / FANOUT);
	number = head_number(members, cluster);
	return number ? head_at(members, (number - 1) / FANOUT) : STN_NOBODY;
}

uint32_t
stn_membership_children(const struct stn_members *members, uint32_t rank,
			uint32_t cluster,
			uint32_t children[STN_MEMBERSHIP_CHILDREN])
{
	uint32_t number = stn_members_number(members, rank), count = 0;
	uint32_t head = number ? 0 : head_number(members, cluster);

	for (uint32_t i = 1; i <= FANOUT; i++) {
		uint32_t child =
			stn_members_at(members, cluster, number * FANOUT + i);

		if (child != STN_NOBODY)
			children[count++] = child;
	}
	for (uint32_t i = 1; !number && i <= FANOUT; i++) {
		uint32_t child = head_at(members, head * FANOUT + i);

		if (child != STN_NOBODY)
			children[count++] = child;
	}
	return count;
}
