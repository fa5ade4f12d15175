/*
 * muster_connect.c: connects a process to process 0, by the first address that
 * leads to it.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "launch/run/muster_private.h"
#include "transport/clock.h"

/* An address that does not answer is given up after this time. */
#define TRY_MS 2000

#define MS_NS 1000000ull

static socklen_t
to_socket(const struct stn_address *address, uint16_t port,
	  struct sockaddr_storage *to)
{
	struct sockaddr_in *ipv4 = (struct sockaddr_in *)to;
	struct sockaddr_in6 *ipv6 = (struct sockaddr_in6 *)to;

	memset(to, 0, sizeof(*to));
	if (address->family == 4) {
		ipv4->sin_family = AF_INET;
		ipv4->sin_port = htons(port);
		memcpy(&ipv4->sin_addr, address->bytes, 4);
		return sizeof(*ipv4);
	}
	ipv6->sin6_family = AF_INET6;
	ipv6->sin6_port = htons(port);
	memcpy(&ipv6->sin6_addr, address->bytes, 16);
	return sizeof(*ipv6);
}

/* Waits for an event of a socket that does not block. */
static bool
await(int fd, short events, uint64_t end)
{
	struct pollfd one = { fd, events, 0 };
	uint64_t now = stn_machine_now(NULL);

	return now < end && poll(&one, 1, (int)((end - now) / MS_NS) + 1) > 0;
}

/* Fails if nothing has answered by @end, with errno. */
static bool
open_connection(int fd, const struct stn_address *address, uint16_t port,
		uint64_t end)
{
	struct sockaddr_storage to;
	socklen_t bytes = to_socket(address, port, &to);
	int error = 0;
	socklen_t size = sizeof(error);

	if (!connect(fd, (struct sockaddr *)&to, bytes))
		return true;
	if (errno != EINPROGRESS)
		return false;
	if (!await(fd, POLLOUT, end))
		error = ETIMEDOUT;
	else if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size))
		error = errno;
	errno = error;
	return !error;
}

static bool
receive_token(int fd, unsigned char token[STN_MUSTER_TOKEN], uint64_t end)
{
	size_t count = 0;

	while (count < STN_MUSTER_TOKEN) {
		ssize_t got;

		if (!await(fd, POLLIN, end))
			return false;
		got = recv(fd, token + count, STN_MUSTER_TOKEN - count, 0);
		if (!got || (got < 0 && errno != EAGAIN && errno != EINTR))
			return false;
		if (got > 0)
			count += (size_t)got;
	}
	return true;
}

/* Both prove to be of this run. */
static bool
greet(int fd, const struct stn_muster_card *launcher,
      const struct muster_hello *hello, uint64_t end)
{
	unsigned char token[STN_MUSTER_TOKEN];

	errno = ECONNREFUSED;
	return send(fd, hello, sizeof(*hello), MSG_NOSIGNAL) ==
		       (ssize_t)sizeof(*hello) &&
	       receive_token(fd, token, end) &&
	       stn_muster_same(token, launcher->token);
}

/* Returns the connection, or -1 with errno. */
static int
call_process_0(const struct stn_muster_card *launcher,
	       const struct stn_address *address,
	       const struct muster_hello *hello, uint64_t end)
{
	int fd = socket(address->family == 4 ? AF_INET : AF_INET6,
			SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	uint64_t now = stn_machine_now(NULL), answered = now + TRY_MS * MS_NS;
	int error;

	if (fd < 0)
		return -1;
	if (open_connection(fd, address, launcher->port,
			    answered < end ? answered : end) &&
	    greet(fd, launcher, hello, end) && fcntl(fd, F_SETFL, 0) >= 0)
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

/* Does this host have an address in the same network? */
static bool
is_in_reach(const struct stn_muster_card *mine,
	    const struct stn_address *address)
{
	for (size_t i = 0; i < mine->count; i++)
		if (stn_address_is_within(&mine->addresses[i], address))
			return true;
	return false;
}

/* Is it also an address of this host, so that it leads to no other? */
static bool
is_ours(const struct stn_muster_card *mine, const struct stn_address *address)
{
	for (size_t i = 0; i < mine->count; i++)
		if (mine->addresses[i].family == address->family &&
		    !memcmp(mine->addresses[i].bytes, address->bytes,
			    sizeof(address->bytes)))
			return true;
	return false;
}

int
muster_connect(const struct stn_muster_card *launcher,
	       const struct stn_muster_card *mine, uint32_t rank,
	       struct stn_why *why)
{
	static const struct stn_address loopback = {
		.family = 4, .prefix = 8, .bytes = { 127, 0, 0, 1 }
	};
	uint64_t end = stn_machine_now(NULL) + MUSTER_MS * MS_NS;
	bool same_host =
		getenv(STN_IDENTITY_PRETEND) ||
		stn_identity_same_host(mine->identity, launcher->identity);
	struct muster_hello hello = { .rank = rank };
	int fd = -1, error;

	memcpy(hello.token, mine->token, sizeof(hello.token));
	errno = ENETUNREACH;
	if (same_host)
		fd = call_process_0(launcher, &loopback, &hello, end);
	for (int near = 1; fd < 0 && near >= 0; near--)
		for (size_t i = 0; fd < 0 && i < launcher->count; i++) {
			const struct stn_address *address =
				&launcher->addresses[i];

			if (is_in_reach(mine, address) == near &&
			    (same_host || !is_ours(mine, address)))
				fd = call_process_0(launcher, address, &hello,
						    end);
		}
	error = errno;
	if (fd < 0)
		stn_because(why, STN_MISSING,
			    "node %" PRIu32
			    " on %s can't connect to node 0 on %s: %s",
			    rank, mine->host, launcher->host, strerror(error));
	return fd;
}
