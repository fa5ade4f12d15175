/*
 * gateway_trunk_send.h: what this gateway sends to other gateways.
 */
#ifndef STN_LAUNCH_GATEWAY_GATEWAY_TRUNK_SEND_H
#define STN_LAUNCH_GATEWAY_GATEWAY_TRUNK_SEND_H

#include <stddef.h>
#include <stdint.h>

#include "launch/gateway/stream.h"
#include "launch/gateway/trunk.h"

struct gateway;

struct heartbeat {
	uint64_t next_ns;    /* when this gateway sends the next */
	uint64_t checked_ns; /* when the others' were last checked */
};

/* gateway_put_segment: puts a gateway's segment into a stream. */
void gateway_put_segment(struct stn_stream *stream, enum stn_trunk_type type,
			 const void *bytes, size_t size);

/*
 * gateway_tell_gateways: sends @size bytes to all other gateways that have a
 * trunk, in several segments if need be.
 */
void gateway_tell_gateways(struct gateway *gateway, enum stn_trunk_type type,
			   const void *bytes, size_t size);

/*
 * gateway_heartbeat: sends heartbeats, and fails the run if a gateway has sent
 * nothing for too long.
 */
void gateway_heartbeat(struct gateway *gateway, uint64_t now);

#endif
