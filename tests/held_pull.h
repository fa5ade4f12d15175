/*
 * held_pull.h: a transport of a lone node (lone_node.h). It holds the pull of a
 * payload until the test completes it, and counts the messages that the node
 * sends.
 */
#ifndef TESTS_HELD_PULL_H
#define TESTS_HELD_PULL_H

#include <stdlib.h>

#include "transport/ops.h"

static struct {
	struct iovec piece; /* of the pull under way */
	stn_done *done;
	void *arg;
	unsigned said; /* messages sent; the kind of the last one, its receiver */
	uint8_t kind;
	uint32_t to;
} held;

static inline void
held_send(struct stn_transport *transport, uint32_t to, uint8_t kind,
	  const void *header, size_t header_bytes, const struct iovec *pieces,
	  size_t count, stn_done *done, void *arg)
{
	(void)transport;
	(void)header;
	(void)header_bytes;
	(void)pieces;
	(void)count;
	held.said++;
	held.kind = kind;
	held.to = to;
	if (done)
		done(arg, STN_OK);
}

static inline void
held_begin(struct stn_transport *transport, const struct stn_arrival *arrival,
	   const struct iovec *pieces, size_t count, stn_done *done, void *arg)
{
	(void)transport;
	(void)arrival;
	if (count != 1)
		abort();
	held.piece = pieces[0];
	held.done = done;
	held.arg = arg;
}

static inline uint64_t
held_now(const struct stn_transport *transport)
{
	(void)transport;
	return 0;
}

static const struct stn_transport_ops held_ops = { .send = held_send,
						   .offer = held_send,
						   .pull = held_begin,
						   .now = held_now };

#endif
