/*
 * gateway_members.h: the members: the cluster's own nodes, to which the gateway
 * is a launcher. They get the cards of all clusters' nodes.
 *
 * Broadcasts are frames for all members. All are sent from one shared buffer: n
 * members would otherwise need n copies of the cards of n nodes.
 */
#ifndef STN_LAUNCH_GATEWAY_GATEWAY_MEMBERS_H
#define STN_LAUNCH_GATEWAY_GATEWAY_MEMBERS_H

#include "launch/gateway/gateway_pending.h"
#include "launch/wireup/wireup_server.h"

struct member;

struct members {
	struct member **by_rank; /* in the cluster; NULL: not here, or gone */
	uint32_t size;		 /* 0: not known yet */
	uint32_t present;	 /* that have come */
	bool layout_known;	 /* the sizes of all clusters are known */
	struct stn_wireup_server server;
};

/* gateway_take_handshake: a node has said what its connection is for. */
void gateway_take_handshake(struct gateway *gateway, struct pending *pending,
			    const struct stn_handshake *handshake);

/*
 * gateway_read_members: reads what node @rank of the run, or each member
 * (STN_NOBODY), has sent and the gateway has not read yet.
 */
void gateway_read_members(struct gateway *gateway, uint32_t rank);

/*
 * gateway_tell_layout: when all members have come, tells the other gateways how
 * many they are; when all clusters' sizes are known, tells the members.
 */
void gateway_tell_layout(struct gateway *gateway);

/* gateway_deal_cards: sends the members the round's cards, if all are there. */
void gateway_deal_cards(struct gateway *gateway);

/* gateway_release: lets all leave, if all clusters are at the barrier. */
void gateway_release(struct gateway *gateway);

void gateway_fini_members(struct gateway *gateway);

/* Freed with its last holder. */
struct broadcast {
	unsigned holders;
	size_t size;
	unsigned char
		bytes[]; /* a frame: a struct stn_wireup_head, and the body */
};

/* How much of a broadcast one member has got. */
struct broadcast_progress {
	struct broadcast *broadcast; /* NULL: nothing to send */
	size_t sent;
};

/*
 * gateway_broadcast_create: a frame whose body of @size bytes the caller fills
 * in, behind the head. The caller holds it. NULL if there is no memory,
 * which fails the run.
 */
struct broadcast *gateway_broadcast_create(struct gateway *gateway,
					   enum stn_wireup_frame_type type,
					   size_t size);

/* gateway_broadcast_drop: the caller holds it no longer; takes NULL. */
void gateway_broadcast_drop(struct broadcast *broadcast);

/* gateway_broadcast_begin: @progress, which must be idle, holds it as well. */
void gateway_broadcast_begin(struct broadcast_progress *progress,
			     struct broadcast *broadcast);

/*
 * gateway_broadcast_send: writes what the socket @fd takes. At the end, or on
 * an error, @progress is idle again; the error shows when @fd is read.
 */
void gateway_broadcast_send(struct broadcast_progress *progress, int fd);

#endif
