/*
 * place.h: where a gateway can be called: an IP address, of either version, and
 * a port. As text it is 192.0.2.1:9000 or [2001:db8::1]:9000.
 */
#ifndef STN_TRANSPORT_WAN_PLACE_H
#define STN_TRANSPORT_WAN_PLACE_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#define STN_PLACE_BYTES 56 /* of the text, with its zero byte */

struct stn_place {
	struct in6_addr address; /* IPv4: mapped, ::ffff:192.0.2.1 */
	uint16_t port;		 /* 0: not known */
};

/* stn_place_write: as text. */
void stn_place_write(char text[STN_PLACE_BYTES], const struct stn_place *place);

/* stn_place_read: false if @text is none. */
bool stn_place_read(const char *text, struct stn_place *place);

/*
 * stn_place_read_address: an address without its port, in brackets or not;
 * false if @text is none.
 */
bool stn_place_read_address(const char *text, struct stn_place *place);

bool stn_place_is_ipv4(const struct stn_place *place);

/* stn_place_is_link_local: it says nothing to hosts beyond the next router. */
bool stn_place_is_link_local(const struct stn_place *place);

/*
 * stn_place_is_near: are two places the same host, as far as can be known? Of
 * IPv6, one who has an address has its whole network of 64 bits.
 */
bool stn_place_is_near(const struct stn_place *place,
		       const struct stn_place *other);

/*
 * stn_place_to_socket: what sockets of its version call it; returns how long
 * that is. stn_place_from_socket: false if it is of another family.
 */
socklen_t stn_place_to_socket(const struct stn_place *place,
			      struct sockaddr_storage *address);
bool stn_place_from_socket(const struct sockaddr *address,
			   struct stn_place *place);

#endif
