/* listen.h: listening sockets, and this host's addresses. */
#ifndef STN_LAUNCH_GATEWAY_LISTEN_H
#define STN_LAUNCH_GATEWAY_LISTEN_H

#include "transport/error.h"
#include "launch/gateway/host_port.h"

/*
 * stn_listen: opens @count sockets, each for one of @host_ports, that listen on
 * the same port: the first from @low to @high that is free for all, or any if
 * both are 0. The sockets don't block.
 * @host_ports  their ports are ignored. The address :: stands for all addresses
 *     of both versions.
 * @fds  set on success; the caller closes them
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
