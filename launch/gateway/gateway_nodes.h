/*
 * gateway_nodes.h: deaths of the cluster's own nodes, in a run that survives
 * them. The cluster's launcher, if it is `sateen run`, has a connection to the
 * gateway: it tells how each node has ended, and kills nodes that others miss.
 * Without `sateen run`, a node whose connection to the gateway has ended counts
 * as dead, because a node that loses this connection ends its process.
 */
#ifndef STN_LAUNCH_GATEWAY_GATEWAY_NODES_H
#define STN_LAUNCH_GATEWAY_GATEWAY_NODES_H

#include "launch/gateway/gateway_pending.h"
#include "launch/wireup/bytes.h"
#include "launch/wireup/wireup_frame.h"

struct launcher;

/* What the gateway knows of one of its nodes, besides its connections. */
struct own_node {
	bool lost;   /* its connection has ended */
	bool fenced; /* was killed, or told to end, because others miss it */
	bool leaves; /* has been told to leave, by its user */
	bool left;   /* has said that it leaves, and ends */
	bool watches; /* reads views */
	bool owes; /* it has not met the nodes that join yet */
	bool gone;
};

struct nodes {
	struct launcher *launcher; /* or NULL */
	struct own_node *list;	   /* by rank in the cluster */
	bool leave;	 /* there are nodes that the host has not been told of */
	struct stn_why refused; /* why one can't meet them; or "" */
	struct stn_bytes suspicions; /* kept ones; see gateway_suspicions.h */
	uint64_t due_ns; /* when lost nodes without a launcher are gone; 0 */
};

/*
 * gateway_nodes_open: when the layout is known. Fails the run if there is no
 * memory.
 */
void gateway_nodes_open(struct gateway *gateway);
void gateway_nodes_close(struct gateway *gateway);

/* gateway_nodes_launch: the launcher has connected; frees @pending. */
void gateway_nodes_launch(struct gateway *gateway, struct pending *pending);

/*
 * gateway_nodes_take: takes a frame of node @index of the cluster. STN_MISSING
 * if it has nothing to do with the survival of the run; STN_MALFORMED.
 */
STN_CHECKED enum stn_err
gateway_nodes_take(struct gateway *gateway, uint32_t index,
		   const struct stn_wireup_frame *frame);

/*
 * gateway_nodes_lost: the connection of node @index has ended.
 * gateway_nodes_command_ended: the command has, with this wait status.
 * Both return false if that is a failure of the run, as far as they know.
 */
bool gateway_nodes_lost(struct gateway *gateway, uint32_t index);
bool gateway_nodes_command_ended(struct gateway *gateway, int status);

/*
 * gateway_nodes_leave: node @index is to leave the run, when the membership has
 * begun.
 * gateway_nodes_living: the number of nodes that have not died or left.
 * gateway_nodes_hang_up: the run has failed: cuts the connections of the nodes
 * and of their launcher, which ends them. SIGTERM would make them leave.
 */
void gateway_nodes_leave(struct gateway *gateway, uint32_t index);
uint32_t gateway_nodes_living(const struct gateway *gateway);
void gateway_nodes_hang_up(struct gateway *gateway);

/*
 * gateway_nodes_meet: the nodes are told of nodes that join.
 * gateway_nodes_have_met: all that live have connected to these.
 */
void gateway_nodes_meet(struct gateway *gateway);
bool gateway_nodes_have_met(const struct gateway *gateway);

/*
 * gateway_nodes_fence: makes sure that node @rank of the run is dead: now, or
 * if its cluster is joining the run, when it has joined.
 */
void gateway_nodes_fence(struct gateway *gateway, uint32_t rank);

/* gateway_nodes_attend: to be called now and then. */
void gateway_nodes_attend(struct gateway *gateway, uint64_t now);

#endif
