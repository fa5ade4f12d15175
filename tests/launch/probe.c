/*
 * probe.c: round trips to ports of this host that accept connections, refuse
 * them, or do not answer.
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <unistd.h>

#include "launch/run/probe.h"
#include "tests/tap.h"
#include "transport/clock.h"

/* Opens a socket on a free port; *port_p is its address. */
static int
bind_free(struct stn_host_port *port_p)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	struct sockaddr *as = (struct sockaddr *)&address;
	socklen_t size = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || bind(fd, as, size) || getsockname(fd, as, &size) ||
	    !stn_host_port_from_socket(as, port_p))
		abort();
	return fd;
}

/* Connects without waiting, so that the queue of the listener is full. */
static int
call(const struct stn_host_port *port)
{
	struct sockaddr_storage address;
	socklen_t size = stn_host_port_to_socket(port, &address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	if (fd < 0)
		abort();
	(void)!connect(fd, (struct sockaddr *)&address, size);
	return fd;
}

enum { OPEN, REFUSES, SILENT, NONE, COUNT };

int
main(void)
{
	struct stn_host_port ports[COUNT] = { { .port = 0 } };
	int open = bind_free(&ports[OPEN]), refuses = bind_free(&ports[REFUSES]);
	int silent = bind_free(&ports[SILENT]), calls[8];
	uint64_t near[COUNT], began, took;

	tap_begin();
	if (listen(open, 8) || listen(silent, 0))
		abort();
	for (int i = 0; i < 8; i++)
		calls[i] = call(&ports[SILENT]);
	stn_probe(ports, 2, near);
	tap_ok(near[OPEN] && near[OPEN] < STN_SECOND_NS / 2,
	       "a host that accepts connections is near");
	tap_ok(near[REFUSES] && near[REFUSES] < STN_SECOND_NS / 2,
	       "and so is one that refuses them");
	began = stn_machine_now(NULL);
	stn_probe(ports, COUNT, near);
	took = stn_machine_now(NULL) - began;
	tap_ok(near[SILENT] == STN_PROBE_FAR && near[NONE] == STN_PROBE_FAR,
	       "one that does not answer is far, and so is none");
	tap_ok(near[OPEN] < STN_SECOND_NS / 2 &&
		       near[REFUSES] < STN_SECOND_NS / 2,
	       "the others are near, though one does not answer");
	tap_ok(took >= STN_SECOND_NS && took < 3 * STN_SECOND_NS,
	       "that takes about a second");
	for (int i = 0; i < 8; i++)
		close(calls[i]);
	close(silent);
	close(refuses);
	close(open);
	return tap_end();
}
