#include "steal/keepers.h"

uint32_t
stn_keepers_wide(const struct stn_node *node, uint32_t copy)
{
	const struct stn_members *members = &node->members;
	uint32_t number = stn_members_number(members, node->rank);
	uint32_t all = node->topology->clusters;

	/* The nodes of a cluster share the other clusters. */
	copy = (copy + number) % (members->clusters - 1);
	for (uint32_t i = 1; i < all; i++) {
		uint32_t cluster = (node->cluster + i) % all;

		if (stn_members_in(members, cluster) && !copy--)
			return stn_members_at(
				members, cluster,
				number % stn_members_in(members, cluster));
	}
	return STN_NOBODY;
}

/* The next node of this cluster. */
uint32_t
stn_keepers_near(const struct stn_node *node)
{
	const struct stn_members *members = &node->members;
	uint32_t count = stn_members_in(members, node->cluster);
	uint32_t number = stn_members_number(members, node->rank);

	return count > 1 ? stn_members_at(members, node->cluster,
					  (number + 1) % count)
			 : STN_NOBODY;
}

bool
stn_keepers_apart(const struct stn_node *node, uint32_t home)
{
	if (node->leaving)
		return stn_members_stays(&node->members, home);
	return home != node->rank &&
	       (node->members.clusters == 1 || stn_node_is_wide(node, home));
}
