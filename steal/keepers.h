/*
 * keepers.h: which nodes keep a deposit (deposit.h), so that a copy survives.
 * Net lock held.
 */
#ifndef STN_STEAL_KEEPERS_H
#define STN_STEAL_KEEPERS_H

#include "node/node.h"

/*
 * stn_keepers_wide: the node of another cluster that keeps copy number @copy,
 * or STN_NOBODY. Other clusters have living nodes. stn_keepers_near: the node
 * of this cluster that keeps a copy, or STN_NOBODY.
 */
uint32_t stn_keepers_wide(const struct stn_node *node, uint32_t copy);
uint32_t stn_keepers_near(const struct stn_node *node);

/*
 * stn_keepers_apart: whether the death of this node's cluster leaves node
 * @home alive, which gets a result from this one. Then no third node need keep
 * the result.
 */
bool stn_keepers_apart(const struct stn_node *node, uint32_t home);

#endif
