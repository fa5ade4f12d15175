/*
 * membership_send.h: sends the messages of the membership service. Each has the
 * number of a view as its header, and a payload (membership.h). The payload is
 * copied once, and freed when the message has left for all its receivers. A
 * receiver's death is no failure: it brings another view. If a living receiver
 * does not get the message, the run ends.
 *
 * Net lock held. Fails the node if there is no memory.
 */
#ifndef STN_NODE_MEMBERSHIP_SEND_H
#define STN_NODE_MEMBERSHIP_SEND_H

#include "node/node.h"

/* stn_membership_send: sends a message about view @view to node @to. */
void stn_membership_send(struct stn_node *node, uint32_t to, uint8_t kind,
			 uint32_t view, const void *payload, size_t bytes);

/*
 * stn_membership_spread: sends a message about view @view to the children of
 * this node in the tree (membership_tree.h); returns their number.
 */
uint32_t stn_membership_spread(struct stn_node *node, uint8_t kind,
			       uint32_t view, const void *payload,
			       size_t bytes);

/*
 * stn_membership_must_arrive: for the completion of a send or a take of one of
 * these messages.
 */
void stn_membership_must_arrive(struct stn_node *node, enum stn_err err);

#endif
