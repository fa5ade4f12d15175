/*
 * keeper.h: which node gets the second copies of this node's parts. Net lock
 * held.
 */
#ifndef STN_PARTS_SURVIVE_KEEPER_H
#define STN_PARTS_SURVIVE_KEEPER_H

#include "node/node.h"

/*
 * stn_keeper_choose: a node in the next cluster, or else on another host, or
 * else the next node; STN_NOBODY if this node is alone. The nodes of a host
 * choose different ones, if there are enough.
 */
uint32_t stn_keeper_choose(const struct stn_node *node);

#endif
