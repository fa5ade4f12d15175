/*
 * pulls.h: pulls a payload from node 1 by a backend's own function, of a
 * made-up endpoint that reads nothing.
 */
#ifndef TESTS_TRANSPORT_PULLS_H
#define TESTS_TRANSPORT_PULLS_H

#include "transport/ops.h"
#include "transport/packet.h"

#define PULL_FROM 1
#define PULL_MOST ((size_t)20 << 20)

/* Counts pulls that have ended well as 1, others as 100. */
static inline void
count_done(void *arg, enum stn_err err)
{
	*(int *)arg += err ? 100 : 1;
}

/* Pulls @bytes, at most PULL_MOST. */
static inline void
pull_payload(stn_ops_pull *pull, struct stn_transport *transport, size_t bytes,
	     int *done)
{
	static char memory[PULL_MOST];
	struct stn_offer_block block = { .count = 1,
					 .regions[0].bytes = bytes };
	const struct stn_offered offered = {
		.arrival.message = { .from = PULL_FROM,
				     .payload_bytes = bytes },
		.offer = &block,
	};
	const struct iovec piece = { memory, bytes };

	pull(transport, &offered.arrival, &piece, 1, count_done, done);
}

#endif
