/*
 * attend.h: the timed work of a node's services. A service that is at rest has
 * none until it asks for attention.
 */
#ifndef STN_NODE_ATTEND_H
#define STN_NODE_ATTEND_H

#include "node/node.h"

/*
 * stn_attend_look: calls look_after of each service that is not at rest, with
 * the time @now. Returns when to call it again. Net lock held.
 */
uint64_t stn_attend_look(struct stn_node *node, uint64_t now);

/*
 * stn_attend_to: ends the rest of the service with that state, which has timed
 * work from now on: its look_after is called again. Net lock held.
 */
void stn_attend_to(struct stn_node *node, const void *state);

#endif
