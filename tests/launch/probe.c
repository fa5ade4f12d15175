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

/* Far longer than a probe takes, also on a busy machine. */
#define LONG_NS (30 * STN_SECOND_NS)

/*
 * Has the host answered in one of several connections, which a probe makes one
 * after the other? The best one takes half of the time at most.
 */
static bool
is_near(uint64_t round_trip_ns, uint64_t took_ns)
{
	return round_trip_ns && round_trip_ns <= took_ns / 2 &&
	       took_ns < LONG_NS;
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
	began = stn_machine_now(NULL);
	stn_probe(ports, 2, near);
	took = stn_machine_now(NULL) - began;
	tap_ok(is_near(near[OPEN], took),
	       "a host that accepts connections is near");
	tap_ok(is_near(near[REFUSES], took), "and so is one that refuses them");
	began = stn_machine_now(NULL);
	stn_probe(ports, COUNT, near);
	took = stn_machine_now(NULL) - began;
	tap_ok(near[SILENT] == STN_PROBE_FAR && near[NONE] == STN_PROBE_FAR,
	       "one that does not answer is far, and so is none");
	tap_ok(is_near(near[OPEN], took) && is_near(near[REFUSES], took),
	       "the others are near, though one does not answer");
	tap_ok(took >= STN_SECOND_NS && took < LONG_NS,
	       "that takes a second, and not for ever");
	for (int i = 0; i < 8; i++)
		close(calls[i]);
	close(silent);
	close(refuses);
	close(open);
	return tap_end();
}
