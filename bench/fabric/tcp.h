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
	int listener, fd, patience_ms;
};

/*
 * tcp_call: returns a socket connected to an address. tcp_accept: returns the
 * next connection to the path's listener. Both block, but not for longer than
 * the path's patience; -1 with errno on failure.
 */
int tcp_call(struct path *path, const unsigned char *address, size_t bytes);
int tcp_accept(struct path *path);

enum stn_err tcp_open(struct path *path, const struct path_opening *opening,
		      struct stn_why *why);
void tcp_close(struct path *path);
path_address tcp_address;
path_connect tcp_connect;
path_message tcp_ping, tcp_pong;
path_messages tcp_stream, tcp_drain;

#endif
