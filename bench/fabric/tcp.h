/*
 * tcp.h: a path that sends and receives through a TCP socket, which is
 * connected to the other node (bare_tcp.c) or to a relay (bare_relay.c). The
 * calls without a comment are those of struct path_ops.
 */
#ifndef BENCH_FABRIC_TCP_H
#define BENCH_FABRIC_TCP_H

#include "bench/fabric/path.h"

struct tcp {
	struct path base;
	int listener, fd;
};

/*
 * tcp_create: as a path's open. The path's struct has @bytes and begins with a
 * struct tcp.
 */
STN_CHECKED enum stn_err tcp_create(const struct path_ops *ops, size_t bytes,
				    const struct path_opening *opening,
				    struct path **path_p, struct stn_why *why);

/*
 * tcp_call: returns a socket connected to an address. tcp_accept: returns the
 * next connection to the path's listener. Both block; -1 with errno on failure.
 */
int tcp_call(const unsigned char *address, size_t bytes);
int tcp_accept(struct path *path);

void tcp_close(struct path *path);
size_t tcp_address(struct path *path,
		   unsigned char address[PATH_ADDRESS_BYTES]);
enum stn_err tcp_connect(struct path *path, const unsigned char *address,
			 size_t bytes, struct stn_why *why);
void tcp_ping(struct path *path, size_t bytes);
void tcp_pong(struct path *path, size_t bytes);
void tcp_stream(struct path *path, size_t bytes, size_t count);
void tcp_drain(struct path *path, size_t bytes, size_t count);

#endif
