/*
 * line.h: an endpoint of its own on each of two nodes, beside the run's, over
 * which a message goes there and back. One thread.
 */
#ifndef BENCH_LINE_H
#define BENCH_LINE_H

#include "steal/config.h"
#include "transport/transport.h"

struct line {
	struct stn_topology topology;
	struct stn_config config;
	struct stn_transport *transport;
	uint32_t rank;
	uint64_t answers; /* that have come */
	bool heard, over;
	unsigned char theirs[STN_ADDRESS_BYTES]; /* the other's address */
	size_t theirs_bytes;
};

/* line_open: node @rank's end, 0 or 1, on the run's transport. */
enum stn_err line_open(struct line *line, uint32_t rank, struct stn_why *why);
void line_close(struct line *line);

/* line_address: as stn_transport_address. */
size_t line_address(struct line *line,
		    unsigned char address[STN_ADDRESS_BYTES]);

/*
 * line_echo: node 1: calls node 0, at @address, and answers it until it is
 * over.
 */
enum stn_err line_echo(struct line *line, const void *address, size_t bytes,
		       struct stn_why *why);

/* line_await: node 0: waits for that call. STN_LOST: none for @patience_ns. */
enum stn_err line_await(struct line *line, uint64_t patience_ns,
			struct stn_why *why);

/* line_ping: nanoseconds of a message of 8 bytes there and back. */
uint64_t line_ping(struct line *line);

/* line_hang_up: tells node 1 that it is over. */
void line_hang_up(struct line *line);

#endif
