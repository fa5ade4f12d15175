/*
 * bare_tcp.c: one TCP connection with TCP_NODELAY. Both ends spin.
 */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "bench/fabric/bare.h"
#include "bench/fabric/tcp.h"

static struct tcp *
tcp_of(struct path *path)
{
	return (struct tcp *)path;
}

void
tcp_close(struct path *path)
{
	struct tcp *tcp = tcp_of(path);

	if (tcp->listener >= 0)
		close(tcp->listener);
	if (tcp->fd >= 0)
		close(tcp->fd);
}

/*
 * Returns a socket that listens on a port of the address, 0: any free one, or
 * -1. SO_REUSEADDR is for a port on which connections have just been closed.
 */
static int
listen_on(const char *address, uint16_t port)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	const int yes = 1;
	struct addrinfo *found;
	char service[8];
	int fd;

	snprintf(service, sizeof(service), "%u", port);
	if (getaddrinfo(address, service, &hints, &found)) {
		errno = EADDRNOTAVAIL;
		return -1;
	}
	fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 &&
	    (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) ||
	     bind(fd, found->ai_addr, found->ai_addrlen) || listen(fd, 1))) {
		close(fd);
		fd = -1;
	}
	freeaddrinfo(found);
	return fd;
}

enum stn_err
tcp_open(struct path *path, const struct path_opening *opening,
	 struct stn_why *why)
{
	struct tcp *tcp = tcp_of(path);

	tcp->fd = -1;
	tcp->patience_ms = opening->patience_ms;
	tcp->listener = listen_on(opening->address, opening->port);
	if (tcp->listener < 0)
		return stn_because(
			why, errno == EADDRINUSE ? STN_IN_USE : STN_IO,
			"can't listen on port %u of %s: %s", opening->port,
			opening->address, strerror(errno));
	return STN_OK;
}

size_t
tcp_address(struct path *path, unsigned char address[PATH_ADDRESS_BYTES])
{
	struct sockaddr_storage name;
	socklen_t length = sizeof(name);

	if (getsockname(tcp_of(path)->listener, (struct sockaddr *)&name,
			&length))
		return 0;
	memcpy(address, &name, length);
	return length;
}

/* Makes small messages leave at once; passes a failed @fd through. */
static int
hasten(int fd)
{
	const int yes = 1;

	if (fd >= 0)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
	return fd;
}

/* Node 0 may have failed to connect, and then waits for this node. */
int
tcp_accept(struct path *path)
{
	struct tcp *tcp = tcp_of(path);
	struct pollfd listener = { tcp->listener, POLLIN, 0 };
	int ready = poll(&listener, 1, tcp->patience_ms);

	if (ready > 0)
		return hasten(accept(tcp->listener, NULL, NULL));
	if (!ready)
		errno = ETIMEDOUT;
	return -1;
}

/*
 * Connects, or fails when the time is up. SO_SNDTIMEO limits connect, too; it
 * is taken back, because it would limit the sends of a relay.
 */
static int
connect_in_time(int fd, const struct sockaddr_storage *name, socklen_t bytes,
		int patience_ms)
{
	const struct timeval never = { 0, 0 };
	const struct timeval most = { patience_ms / 1000,
				      patience_ms % 1000 * 1000 };
	int failed;

	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof(most));
	failed = connect(fd, (const struct sockaddr *)name, bytes);
	if (failed && errno == EINPROGRESS)
		errno = ETIMEDOUT;
	if (!failed)
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &never, sizeof(never));
	return failed;
}

int
tcp_call(struct path *path, const unsigned char *address, size_t bytes)
{
	struct sockaddr_storage name = { 0 };
	int fd;

	if (bytes > sizeof(name)) {
		errno = EINVAL;
		return -1;
	}
	memcpy(&name, address, bytes);
	fd = socket(name.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect_in_time(fd, &name, (socklen_t)bytes,
				       tcp_of(path)->patience_ms)) {
		close(fd);
		return -1;
	}
	return hasten(fd);
}

/* Node 0 connects. Its connection waits in node 1's backlog until accept. */
enum stn_err
tcp_connect(struct path *path, const unsigned char *address, size_t bytes,
	    struct stn_why *why)
{
	struct tcp *tcp = tcp_of(path);

	tcp->fd =
		path->rank ? tcp_accept(path) : tcp_call(path, address, bytes);
	if (tcp->fd < 0)
		return stn_because(why, STN_IO, "can't connect: %s",
				   strerror(errno));
	return STN_OK;
}

/* Returns the bytes that send or recv has moved; 0 if it would have blocked. */
static size_t
moved(struct path *path, ssize_t bytes)
{
	if (bytes > 0) {
		path_advance(path);
		return (size_t)bytes;
	}
	if (!bytes)
		path_fail(path, "the other end has closed the connection");
	if (errno != EAGAIN && errno != EINTR)
		path_fail(path, "%s", strerror(errno));
	path_spin(path);
	return 0;
}

static void
put(struct path *path, size_t bytes)
{
	for (size_t at = 0; at < bytes;)
		at += moved(path,
			    send(tcp_of(path)->fd, path->out + at, bytes - at,
				 MSG_DONTWAIT | MSG_NOSIGNAL));
}

static void
get(struct path *path, size_t bytes)
{
	for (size_t at = 0; at < bytes;)
		at += moved(path, recv(tcp_of(path)->fd, path->in + at,
				       bytes - at, MSG_DONTWAIT));
}

void
tcp_ping(struct path *path, size_t bytes)
{
	put(path, bytes);
	get(path, bytes);
}

void
tcp_pong(struct path *path, size_t bytes)
{
	get(path, bytes);
	put(path, bytes);
}

void
tcp_stream(struct path *path, size_t bytes, size_t count)
{
	while (count--)
		put(path, bytes);
	get(path, 1);
}

void
tcp_drain(struct path *path, size_t bytes, size_t count)
{
	while (count--)
		get(path, bytes);
	put(path, 1);
}

const struct path_ops bare_tcp = {
	.name = "TCP sockets",
	.messages = true,
	.payloads = true,
	.bytes = sizeof(struct tcp),
	.open = tcp_open,
	.close = tcp_close,
	.address = tcp_address,
	.connect = tcp_connect,
	.ping = tcp_ping,
	.pong = tcp_pong,
	.stream = tcp_stream,
	.drain = tcp_drain,
};
