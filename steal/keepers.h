/*
 * keepers.h: which nodes keep a deposit (deposit.h), so that a copy survives.
 * Net lock held.
 */
#ifndef STN_STEAL_KEEPERS_H
#define STN_STEAL_KEEPERS_H

#include "node/node.h"

/*
 * stn_keepers_wide: the node of another cluster that keeps copy number @copy,
 * or STN_NOBODY. Other clusters have living nodes.
 *
 * stn_keepers_near: the node of this cluster that keeps a copy, or STN_NOBODY:
 * a node of another host if there is one, as a host may be lost with all its
 * nodes.
 */
uint32_t stn_keepers_wide(const struct stn_node *node, uint32_t copy);
uint32_t stn_keepers_near(const struct stn_node *node);

/*
 * stn_keepers_apart: whether node @home, which gets a result from this one,
 * lives on if this cluster is lost, or, in a run of one cluster, if this host
 * is lost. Then no third node need keep the result. If all nodes are on one
 * host, it is enough that @home is another node.
 *
 * stn_keepers_worth_wide: whether the result of a call that took @spent_ns
 * saves so much time that it is sent to another cluster.
 * stn_keepers_worth_near: or to another node of this cluster. So a node sends
 * 10 KB/s at most to other clusters, and 1 MB/s inside its cluster.
 */
bool stn_keepers_apart(const struct stn_node *node, uint32_t home);
bool stn_keepers_worth_wide(uint64_t spent_ns, size_t bytes);
bool stn_keepers_worth_near(uint64_t spent_ns, size_t bytes);

#endif
