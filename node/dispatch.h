/*
 * dispatch.h: sends the messages of services, and hands each message that
 * arrives to the service that has its kind. Counts and logs both.
 */
#ifndef STN_NODE_DISPATCH_H
#define STN_NODE_DISPATCH_H

#include "node/node.h"

/*
 * stn_node_send: counts a message and sends it, as stn_transport_send does. Net
 * lock held. A message without @done is lost only if its receiver dies.
 */
void stn_node_send(struct stn_node *node, uint32_t to, uint8_t kind,
		   const void *header, size_t header_bytes,
		   const struct iovec *pieces, size_t count, stn_done *done,
		   void *arg);

/*
 * stn_node_say: sends a message without a payload. The header is copied. Net
 * lock held.
 */
void stn_node_say(struct stn_node *node, uint32_t to, uint8_t kind,
		  const void *header, size_t header_bytes);

/*
 * stn_node_must_arrive: for the completion of a send or a take: ends the run if
 * the payload, @what, was lost although its sender and its receiver live: for
 * example, a fabric could not pin its memory. The nodes that need it would wait
 * for ever. Accepted are STN_OK; STN_CANCELLED: the run ends; STN_LOST: a view
 * or a peer event tells of the death; STN_REFUSED: the receiver does not need
 * the payload, or ends the run itself.
 */
void stn_node_must_arrive(struct stn_node *node, const char *what,
			  enum stn_err err);

/*
 * stn_dispatch: the transport's callback for messages.
 * stn_dispatch_peer: its callback for peer events.
 * @arg is the node. The transport calls both with the net lock held.
 */
void stn_dispatch(void *arg, const struct stn_message *message);
void stn_dispatch_peer(void *arg, uint32_t rank, enum stn_peer_state state,
		       const char *how);

#endif
