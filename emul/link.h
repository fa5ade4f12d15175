/*
 * link.h: when a message that is given to a link now arrives.
 *
 * A link carries one message after the other, at its bandwidth; what it has
 * sent arrives a latency later. So a message of b bytes on an idle link
 * arrives after b / bandwidth + latency, and many at once arrive in order, at
 * the bandwidth. b counts header and payload.
 */
#ifndef STN_EMUL_LINK_H
#define STN_EMUL_LINK_H

#include "transport/topology.h"

/*
 * stn_link_send: gives @bytes to the link at the time @now; returns when they
 * have arrived. @busy is the link's word, which all its senders share. Any
 * thread of any process that has it mapped; lock-free.
 */
uint64_t stn_link_send(const struct stn_link *link, stn_link_busy *busy,
		       size_t bytes, uint64_t now);

#endif
