/*
 * echo.h: a second endpoint on each of two nodes, beside the run's endpoint.
 * Over the two a message goes there and back. One thread uses an endpoint.
 */
#ifndef BENCH_STEAL_ECHO_H
#define BENCH_STEAL_ECHO_H

#include "node/config.h"
#include "transport/transport.h"

struct echo {
	struct stn_topology topology;
	struct stn_config config;
	struct stn_transport *transport;
	uint32_t rank;
	uint64_t answers; /* number received */
	bool heard;	  /* node 0 has node 1's address */
	bool over;	  /* node 1 was told to stop */
	unsigned char theirs[STN_ADDRESS_BYTES]; /* the other end's address */
	size_t theirs_bytes;
};

/*
 * echo_open: opens the end of node @rank, 0 or 1, on the run's transport. On
 * failure @why has the reason. The caller closes echo->transport.
 */
enum stn_err echo_open(struct echo *echo, uint32_t rank, struct stn_why *why);

/*
 * echo_serve: node 1: connects to node 0 at @address, sends its own address,
 * and answers messages until echo_stop.
 */
enum stn_err echo_serve(struct echo *echo, const void *address, size_t bytes,
			struct stn_why *why);

/*
 * echo_await: node 0: waits for node 1's address and connects to it. STN_LOST
 * if it has not come after @patience_ns.
 */
enum stn_err echo_await(struct echo *echo, uint64_t patience_ns,
			struct stn_why *why);

/* echo_ping: node 0: the round trip of a message of 8 bytes, in nanoseconds. */
uint64_t echo_ping(struct echo *echo);

/* echo_stop: node 0: makes node 1's echo_serve return. */
void echo_stop(struct echo *echo);

#endif
