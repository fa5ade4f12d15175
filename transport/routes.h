/*
 * routes.h: a transport that wraps several transports, its routes. Its name is
 * their names in order of preference, joined by '+': "shm+ofi" reaches the
 * nodes of this host by shared memory and all others by libfabric. When a peer
 * is connected, it gets the first route whose ops->reach includes the peer and
 * whose own connect succeeds. Each route detects failures of its own peers. The
 * provider, the address and the port of the opening are for the route that
 * leaves the host.
 *
 * The address is a list of the routes' addresses. For each: the length of the
 * route's name (8 bits), the name, the length of the address (16 bits,
 * little-endian), the address. Nodes of different clusters may have different
 * routes.
 */
#ifndef STN_TRANSPORT_ROUTES_H
#define STN_TRANSPORT_ROUTES_H

#include "transport/ops.h"

#define STN_ROUTES_MOST 3	 /* on the host, in the cluster, far */
#define STN_ROUTES_NAME_BYTES 16 /* of a route's name, with its '\0' */

/* stn_routes_open: like stn_transport_open, for a name with '+'. */
STN_CHECKED enum stn_err stn_routes_open(const char *name,
					 const struct stn_opening *opening,
					 struct stn_transport **transport_p,
					 struct stn_why *why);

/*
 * stn_routes_split: splits a name into the names of its routes. Returns their
 * number, or 0 if there are too many, or one is too long or empty.
 */
size_t stn_routes_split(const char *name,
			char names[STN_ROUTES_MOST][STN_ROUTES_NAME_BYTES]);

/* A parsed address; it points into the bytes that were parsed. */
struct stn_routes_address {
	struct stn_routes_part {
		char name[STN_ROUTES_NAME_BYTES];
		const unsigned char *bytes;
		size_t size;
	} parts[STN_ROUTES_MOST];
	size_t count;
};

/* stn_routes_parse: parses an address. False: it is malformed. */
bool stn_routes_parse(const unsigned char *bytes, size_t size,
		      struct stn_routes_address *address);

/* stn_routes_part: the address of the route called @name, or NULL. */
const struct stn_routes_part *
stn_routes_part(const struct stn_routes_address *address, const char *name);

#endif
