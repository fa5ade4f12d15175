/*
 * gateway_broadcast.h: frames for all members. All are sent from one shared
 * buffer: n members would otherwise need n copies of the cards of n nodes.
 */
#ifndef STN_LAUNCH_GATEWAY_GATEWAY_BROADCAST_H
#define STN_LAUNCH_GATEWAY_GATEWAY_BROADCAST_H

#include <stddef.h>

#include "launch/wireup/wireup_frame.h"

/* Freed with its last holder. */
struct broadcast {
	unsigned holders;
	size_t size;
	unsigned char bytes[]; /* a frame */
};

/* How much of a broadcast one member has got. */
struct broadcast_progress {
	struct broadcast *broadcast; /* NULL: nothing to send */
	size_t sent;
};

/*
 * gateway_broadcast_create: a frame whose body of @size bytes the caller fills
 * in (gateway_broadcast_body). The caller holds it. NULL if there is no memory.
 */
struct broadcast *gateway_broadcast_create(enum stn_wireup_frame_type type,
					   size_t size);

static inline unsigned char *
gateway_broadcast_body(struct broadcast *broadcast)
{
	return broadcast->bytes + sizeof(struct stn_wireup_head);
}

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
