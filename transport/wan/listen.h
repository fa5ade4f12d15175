/*
 * listen.h: where a gateway listens, and where on this host others may find it.
 */
#ifndef STN_TRANSPORT_WAN_LISTEN_H
#define STN_TRANSPORT_WAN_LISTEN_H

#include "transport/error.h"
#include "transport/wan/place.h"

/*
 * stn_listen: @count sockets, each for the address of one of @places, that
 * listen on the same port: the first from @low to @high that is free, or any if
 * both are 0. They don't block.
 * @places  their ports are ignored; the address :: is all, of both versions
 * @fds  set, on success, to the sockets, for the caller to close
 */
STN_CHECKED enum stn_err stn_listen(const struct stn_place *places,
				    size_t count, uint16_t low, uint16_t high,
				    int *fds, uint16_t *port_p,
				    struct stn_why *why);

/*
 * stn_own_places: up to @most addresses, without ports, of this host's
 * interfaces that are up; IPv4 first. None that are known only on their link,
 * nor those that containers and virtual machines have among themselves; those
 * of loopback only if there are no others.
 * @interface  only this one's; NULL: all
 * Returns how many.
 */
size_t stn_own_places(const char *interface, struct stn_place *places,
		      size_t most);

#endif
