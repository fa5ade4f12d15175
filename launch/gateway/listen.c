#include "launch/gateway/host_port.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <string.h>
#include <unistd.h>

#define BACKLOG 512

static const struct stn_host_port any_ipv4 = {
	.address.s6_addr = { [10] = 0xff, 0xff },
};

static uint16_t
port_of(int fd)
{
	struct sockaddr_storage address;
	socklen_t bytes = sizeof(address);
	struct stn_host_port host_port;

	if (getsockname(fd, (struct sockaddr *)&address, &bytes) ||
	    !stn_host_port_from_socket((struct sockaddr *)&address, &host_port))
		return 0;
	return host_port.port;
}

static bool
try_listen(int fd, const struct stn_host_port *host_port)
{
	struct sockaddr_storage address;
	socklen_t bytes = stn_host_port_to_socket(host_port, &address);
	int on = 1, off = 0;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (address.ss_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	return !bind(fd, (struct sockaddr *)&address, bytes) &&
	       !listen(fd, BACKLOG);
}

/* Returns the socket, or -1. */
static int
listen_at(const struct stn_host_port *host_port, uint16_t port)
{
	struct stn_host_port at = *host_port;
	int fd = socket(stn_host_port_is_ipv4(host_port) ? AF_INET : AF_INET6,
			SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int problem;

	at.port = port;
	if (fd >= 0 && try_listen(fd, &at))
		return fd;
	problem = errno;
	if (fd >= 0)
		close(fd);
	else if (problem == EAFNOSUPPORT &&
		 IN6_IS_ADDR_UNSPECIFIED(&host_port->address))
		return listen_at(&any_ipv4, port);
	errno = problem;
	return -1;
}

/* Opens all sockets or none. */
static bool
listen_all(const struct stn_host_port *host_ports, size_t count, uint16_t port,
	   int *fds)
{
	for (size_t i = 0; i < count; i++) {
		int problem;

		fds[i] = listen_at(&host_ports[i], port);
		if (!i && !port && fds[0] >= 0)
			port = port_of(fds[0]);
		if (fds[i] >= 0)
			continue;
		problem = errno;
		while (i)
			close(fds[--i]);
		errno = problem;
		return false;
	}
	return true;
}

enum stn_err
stn_listen(const struct stn_host_port *host_ports, size_t count, uint16_t low,
	   uint16_t high, int *fds, uint16_t *port_p, struct stn_why *why)
{
	enum stn_err err;
	int problem;

	for (unsigned port = low; port <= high; port++) {
		if (!listen_all(host_ports, count, (uint16_t)port, fds))
			continue;
		*port_p = port_of(fds[0]);
		return STN_OK;
	}
	problem = errno;
	err = stn_because(why, STN_IN_USE,
			  "can't listen on a port from %u to %u: %s; give "
			  "others by --ports",
			  low, high, strerror(problem));
	errno = problem;
	return err;
}

static bool
is_inner(const char *name)
{
	static const char *const inner[] = { "docker", "br-", "virbr", "lxcbr",
					     "cni" };

	for (size_t i = 0; i < sizeof(inner) / sizeof(inner[0]); i++)
		if (!strncmp(name, inner[i], strlen(inner[i])))
			return true;
	return false;
}

static bool
listen_is_wanted(const struct ifaddrs *at, const char *interface, bool loopback)
{
	if (!(at->ifa_flags & IFF_UP))
		return false;
	if (interface)
		return !strcmp(at->ifa_name, interface);
	return loopback == !!(at->ifa_flags & IFF_LOOPBACK) &&
	       !is_inner(at->ifa_name);
}

/*
 * Appends interface addresses of one family to the @count that are there;
 * returns the new count.
 */
static size_t
listen_take(const struct ifaddrs *at, const char *interface, bool loopback,
	    sa_family_t family, struct stn_host_port *host_ports, size_t count,
	    size_t most)
{
	for (; at && count < most; at = at->ifa_next)
		if (at->ifa_addr && at->ifa_addr->sa_family == family &&
		    listen_is_wanted(at, interface, loopback) &&
		    stn_host_port_from_socket(at->ifa_addr,
					      &host_ports[count]) &&
		    !stn_host_port_is_link_local(&host_ports[count]))
			count++;
	return count;
}

size_t
stn_own_addresses(const char *interface, struct stn_host_port *host_ports,
		  size_t most)
{
	struct ifaddrs *all;
	size_t count = 0;

	if (getifaddrs(&all))
		return 0;
	for (int loopback = 0; loopback < 2 && !count; loopback++) {
		count = listen_take(all, interface, loopback, AF_INET,
				    host_ports, 0, most);
		count = listen_take(all, interface, loopback, AF_INET6,
				    host_ports, count, most);
	}
	freeifaddrs(all);
	return count;
}
