/*
 * tcp.h: a path that sends and receives by a TCP socket: to the other node
 * (bare_tcp.c), or to a relay (bare_relay.c). The calls are those of a path.
 */
#ifndef BENCH_TCP_H
#define BENCH_TCP_H

#include "apps/bench/fabric/path.h"

struct tcp {
	struct path base;
	int listener, fd;
};

/* tcp_create: as a path's open; @bytes begin with a struct tcp. */
STN_CHECKED enum stn_err tcp_create(const struct path_ops *ops, size_t bytes,
				    const struct path_opening *opening,
				    struct path **path_p, struct stn_why *why);

/*
 * tcp_call: a socket connected to an address; tcp_accept: the next of those who
 * call the path's. -1 on failure, with errno.
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
