/*
 * membership_tree.h: the tree over which the nodes spread views and notices
 * (membership.h). The living nodes of a cluster form a tree in the order of
 * their ranks, with STN_MEMBERSHIP_FANOUT children to a node. The heads of the
 * clusters, their first living nodes, form another one in the same way: first
 * the root, then the other heads in the order of their clusters.
 *
 * All nodes compute the same tree from the same members.
 */
#ifndef STN_NODE_MEMBERSHIP_TREE_H
#define STN_NODE_MEMBERSHIP_TREE_H

#include "node/members.h"

#define STN_MEMBERSHIP_FANOUT 8
#define STN_MEMBERSHIP_CHILDREN (2 * STN_MEMBERSHIP_FANOUT) /* at most */

/*
 * stn_membership_parent: the parent of node @rank, which lives in @cluster;
 * STN_NOBODY if it is the root.
 */
uint32_t stn_membership_parent(const struct stn_members *members, uint32_t rank,
			       uint32_t cluster);

/*
 * stn_membership_children: writes the children of node @rank, which lives in
 * @cluster; returns their number.
 */
uint32_t stn_membership_children(const struct stn_members *members,
				 uint32_t rank, uint32_t cluster,
				 uint32_t children[STN_MEMBERSHIP_CHILDREN]);

#endif
