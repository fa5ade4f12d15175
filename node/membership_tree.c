#include "node/membership_tree.h"

#define FANOUT STN_MEMBERSHIP_FANOUT

/* The number of heads in the clusters before @cluster. */
static uint32_t
head_number(const struct stn_members *members, uint32_t cluster)
{
	uint32_t number = 0;

	for (uint32_t i = 0; i < cluster; i++)
		number += members->in_cluster[i] > 0;
	return number;
}

/* The head with that number, or STN_NOBODY. */
static uint32_t
head_at(const struct stn_members *members, uint32_t number)
{
	for (uint32_t i = 0; i < members->topology->clusters; i++)
		if (members->in_cluster[i] && !number--)
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
