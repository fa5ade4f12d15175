#include "launch/run/probe.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "launch/run/descriptors.h"
#include "transport/clock.h"

#define TRIES 3
#define MOST_NS STN_SECOND_NS

/* A host that is being measured. */
struct probed {
	struct stn_host_port target;
	uint32_t tries;	   /* connections so far */
	uint64_t began_ns; /* of the last one */
	uint64_t best_ns;
};

/* Begins to connect. True if the outcome, *error_p, is known at once. */
static bool
probe_connect(struct probed *host, struct pollfd *one, int *error_p)
{
	struct sockaddr_storage address;
	socklen_t bytes = stn_host_port_to_socket(&host->target, &address);

	*error_p = 0;
	*one = (struct pollfd){
		socket(address.ss_family,
		       SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0),
		POLLOUT, 0
	};
	host->began_ns = stn_machine_now(NULL);
	if (one->fd < 0 || connect(one->fd, (struct sockaddr *)&address, bytes))
		*error_p = errno;
	return *error_p != EINPROGRESS;
}

/* Takes the outcome of a connection. True if another one is to follow. */
static bool
probe_take(struct probed *host, struct pollfd *one, int error)
{
	uint64_t took = stn_machine_now(NULL) - host->began_ns;

	stn_descriptor_close(&one->fd);
	if (error && error != ECONNREFUSED)
		return false;
	if (took < host->best_ns)
		host->best_ns = took;
	return ++host->tries < TRIES;
}

/* Connections on this host are made, or refused, at once. */
static void
probe_next(struct probed *host, struct pollfd *one)
{
	int error;

	while (probe_connect(host, one, &error))
		if (!probe_take(host, one, error))
			return;
}

static void
probe_ended(struct probed *host, struct pollfd *one)
{
	socklen_t size = sizeof(int);
	int error;

	if (getsockopt(one->fd, SOL_SOCKET, SO_ERROR, &error, &size))
		error = errno;
	if (probe_take(host, one, error))
		probe_next(host, one);
}

/* Waits until a connection is made or refused. False if none will be. */
static bool
probe_wait(struct pollfd *fds, uint32_t count, uint64_t end_ns)
{
	uint64_t now = stn_machine_now(NULL);
	bool open = false;

	for (uint32_t i = 0; i < count; i++)
		open = open || fds[i].fd >= 0;
	return open && now < end_ns &&
	       stn_descriptors_poll(fds, count,
				    (int)((end_ns - now) / 1000000) + 1) > 0;
}

static void
probe_all(struct probed *hosts, struct pollfd *fds, uint32_t count)
{
	uint64_t end_ns = stn_machine_now(NULL) + MOST_NS;

	for (uint32_t i = 0; i < count; i++)
		if (hosts[i].target.port)
			probe_next(&hosts[i], &fds[i]);
	while (probe_wait(fds, count, end_ns))
		for (uint32_t i = 0; i < count; i++)
			if (fds[i].fd >= 0 && fds[i].revents)
				probe_ended(&hosts[i], &fds[i]);
	for (uint32_t i = 0; i < count; i++)
		stn_descriptor_close(&fds[i].fd);
}

void
stn_probe(const struct stn_host_port *targets, uint32_t count,
	  uint64_t *round_trips_ns)
{
	struct probed *hosts = calloc(count, sizeof(hosts[0]));
	/* stn_descriptors_poll needs twice as many. */
	struct pollfd *fds = calloc(count, 2 * sizeof(fds[0]));

	for (uint32_t i = 0; hosts && fds && i < count; i++) {
		hosts[i] = (struct probed){ .target = targets[i],
					    .best_ns = STN_PROBE_FAR };
		fds[i].fd = -1;
	}
	stn_descriptors_raise_limit(count);
	if (hosts && fds)
		probe_all(hosts, fds, count);
	for (uint32_t i = 0; i < count; i++)
		round_trips_ns[i] =
			hosts && fds ? hosts[i].best_ns : STN_PROBE_FAR;
	free(hosts);
	free(fds);
}
