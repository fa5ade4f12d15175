/*
 * link.h: computes when a message arrives that is given to a link now.
 *
 * A link sends one message after the other, at its bandwidth. A message arrives
 * one latency after its last byte was sent. So a message of b bytes on an idle
 * link arrives after b / bandwidth + latency, and many messages at once arrive
 * in order, at the bandwidth. b counts header and payload. If several hosts
 * share a link, each host has a fixed part of the bandwidth.
 *
 * Jitter adds a random time to each message, uniformly between 0 and the link's
 * jitter. Messages never overtake each other: a late message delays all later
 * messages on its link. If the link changes over time, a message has the
 * latency, bandwidth and jitter of the time when its first byte is sent, and
 * doesn't overtake earlier messages either.
 */
#ifndef STN_EMUL_LINK_H
#define STN_EMUL_LINK_H

#include "transport/topology.h"

/*
 * stn_link_send: gives a message of @bytes to the link at time @now; returns
 * the time of its arrival. All times are in ns. Any thread of any process that
 * has @queue mapped may call it; lock-free. If one call begins after another
 * has returned, its message arrives no earlier; if two calls overlap, either
 * message may be the first.
 */
uint64_t stn_link_send(const struct stn_profile *profile,
		       struct stn_link_queue *queue, size_t bytes,
		       uint64_t now);

#endif
