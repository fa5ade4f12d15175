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
 * latency, bandwidth, jitter and loss of the time when its first byte is sent,
 * and doesn't overtake earlier messages either.
 *
 * Loss delays a message as TCP would. The message consists of packets of 1460
 * bytes, the most of TCP on Ethernet. Each is lost with the link's probability,
 * is sent again after a timeout, and may be lost again. The first timeout is
 *
 *	round trip + max(200 ms, 4 * mean deviation of the round trip)
 *
 * where the link in the other direction is taken to be like this one. Each
 * further timeout of the same packet is twice as long, up to 120 s. That is RFC
 * 6298 (Paxson, Allman, Chu, Sargent, 2011), sections 2 and 5, with Linux'
 * bounds instead of 1 s and 60 s. After 15 timeouts, where Linux gives up, the
 * packet arrives. A message is as late as its latest packet. Packets that are
 * sent again take no bandwidth, and duplicate acknowledgements, which may be
 * faster than a timeout, are left out: they need three packets behind the lost
 * one.
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
