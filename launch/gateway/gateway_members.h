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

/* A node and its control connection. */
struct member {
	struct watch watch;
	uint32_t rank;		   /* in the cluster */
	struct stn_bytes received; /* frames from the node */
	bool reading;		   /* one of these frames is being handled */
	struct stn_stream stream;
	struct broadcast_progress progress; /* goes out after the stream, which
					       gets nothing meanwhile */
	bool gave_up; /* it has reported that it ends because another node is
			 gone */
};

struct members {
	struct member **by_rank; /* in the cluster; NULL: not here, or gone */
	uint32_t size;		 /* 0: not known yet */
	uint32_t present;	 /* that have come */
	bool layout_known;	 /* the sizes of all clusters are known */
	struct stn_wireup_server server;
};

/* gateway_member_watch: writes to the member, and waits for its events. */
void gateway_member_watch(struct gateway *gateway, struct member *member);

/* gateway_take_server_frame: what the wire-up server sends to all members. */
void gateway_take_server_frame(void *arg, enum stn_wireup_frame_type type,
			       const void *body, size_t size);

/* gateway_member_ready: the handler of these events. */
void gateway_member_ready(struct gateway *gateway, struct watch *watch,
			  uint32_t events);

/*
 * gateway_read_members: reads what node @rank of the run, or each member
 * (STN_NOBODY), has sent and the gateway has not read yet.
 */
void gateway_read_members(struct gateway *gateway, uint32_t rank);

/* gateway_deal_cards: sends the members the round's cards, if all are there. */
void gateway_deal_cards(struct gateway *gateway);

/* gateway_members_tell: sends a frame to all members. */
void gateway_members_tell(struct gateway *gateway,
			  enum stn_wireup_frame_type type, const void *body,
			  size_t size);

/* gateway_release: lets all leave, if all clusters are at the barrier. */
void gateway_release(struct gateway *gateway);

/*
 * gateway_tell_member: sends a frame to node @index of the cluster, if it has a
 * connection; behind a broadcast that is under way.
 * gateway_cut_member: ends its connection, if it has one.
 */
void gateway_tell_member(struct gateway *gateway, uint32_t index,
			 enum stn_wireup_frame_type type, const void *body,
			 size_t size);
void gateway_cut_member(struct gateway *gateway, uint32_t index);

void gateway_fini_members(struct gateway *gateway);

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
