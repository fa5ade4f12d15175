/*
 * link.h: when a message that is given to a link now arrives.
 *
 * A link carries one message after the other, at its bandwidth; what it has
 * sent arrives a latency later. So a message of b bytes on an idle link
 * arrives after b / bandwidth + latency, and many at once arrive in order, at
 * the bandwidth. b counts header and payload. Of a link that several hosts
 * share each has a part of the bandwidth for itself.
 *
 * Jitter makes each message up to that much later, uniformly at random; but
 * none overtakes another: what is late keeps those behind it waiting, as the
 * head of a queue does. Where a link changes, a message has what it is when its
 * first byte is sent; none overtakes another then, either.
 */
#ifndef STN_EMUL_LINK_H
#define STN_EMUL_LINK_H

#include "transport/topology.h"

/*
 * stn_link_send: gives @bytes to the link at the time @now; returns when they
 * have arrived. Any thread of any process that has @queue mapped; lock-free.
 * What is given after another call has returned arrives after that call's; of
 * two at once either may be the first.
 */
uint64_t stn_link_send(const struct stn_profile *profile,
		       struct stn_link_queue *queue, size_t bytes,
		       uint64_t now);

#endif
