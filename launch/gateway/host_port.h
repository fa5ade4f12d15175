/*
 * host_port.h: an IP address of either version, with a port. Its text is
 * 192.0.2.1:9000 or [2001:db8::1]:9000. Listening sockets, and this host's
 * addresses.
 */
#ifndef STN_LAUNCH_GATEWAY_HOST_PORT_H
#define STN_LAUNCH_GATEWAY_HOST_PORT_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "transport/error.h"

#define STN_HOST_PORT_BYTES 56 /* of the text, with its zero byte */

struct stn_host_port {
	struct in6_addr address; /* IPv4 is mapped: ::ffff:192.0.2.1 */
	uint16_t port;		 /* 0: not known */
};

/* stn_host_port_write: makes the text. */
void stn_host_port_write(char text[STN_HOST_PORT_BYTES],
			 const struct stn_host_port *host_port);

/* stn_host_port_read: parses the text; false if it is malformed. */
bool stn_host_port_read(const char *text, struct stn_host_port *host_port);

/*
 * stn_host_port_read_address: parses an address without a port, in brackets or
 * not; false if it is malformed.
 */
bool stn_host_port_read_address(const char *text,
				struct stn_host_port *host_port);

bool stn_host_port_is_ipv4(const struct stn_host_port *host_port);

/*
 * stn_host_port_is_link_local: does the address mean nothing beyond the next
 * router?
 */
bool stn_host_port_is_link_local(const struct stn_host_port *host_port);

/*
 * stn_host_port_is_near: do two addresses belong to the same host, as far as
 * can be known? For IPv6 a host is a network of 64 bits, as a host can use all
 * addresses of its network.
 */
bool stn_host_port_is_near(const struct stn_host_port *host_port,
			   const struct stn_host_port *other);

/*
 * stn_host_port_to_socket: converts to a socket address of its version; returns
 * the number of bytes. stn_host_port_from_socket: false if the address family
 * is another one.
 */
socklen_t stn_host_port_to_socket(const struct stn_host_port *host_port,
				  struct sockaddr_storage *address);
bool stn_host_port_from_socket(const struct sockaddr *address,
			       struct stn_host_port *host_port);

/*
 * stn_listen: opens @count sockets, each for one of @host_ports, that listen on
 * the same port: the first from @low to @high that is free for all, or any if
 * both are 0. The sockets don't block.
 * @host_ports  their ports are ignored. The address :: stands for all addresses
 *     of both versions.
 * @fds  set on success; the caller closes them
 * STN_IN_USE: errno tells the failure at the last port.
 */
STN_CHECKED enum stn_err stn_listen(const struct stn_host_port *host_ports,
				    size_t count, uint16_t low, uint16_t high,
				    int *fds, uint16_t *port_p,
				    struct stn_why *why);

/*
 * stn_own_addresses: finds up to @most addresses, without ports, of this host's
 * interfaces that are up; IPv4 first. Omits link-local addresses and the
 * interfaces of containers and virtual machines. Loopback addresses count only
 * if there are no others.
 * @interface  only this one's; NULL: all
 * Returns how many.
 */
size_t stn_own_addresses(const char *interface,
			 struct stn_host_port *host_ports, size_t most);

#endif
