/*
 * routes.h: a transport around several, which stand in its name in order of
 * preference, joined by '+': "shm+ofi" reaches the nodes of this host by shared
 * memory, the others by libfabric. Which one leads to a peer is settled when it
 * is connected, by its ops->reach, and whether its own connect succeeds. Each
 * has a watch over the peers that it leads to. The provider, the address and
 * the port of the opening are those of the one that isn't of this host.
 *
 * Its address is theirs, one after the other: the length of the name (8 bits),
 * the name, the address's length (16 bits, little-endian), the address. Nodes
 * of clusters that are far from each other may have other ones.
 */
#ifndef STN_TRANSPORT_ROUTES_H
#define STN_TRANSPORT_ROUTES_H

#include "transport/ops.h"

#define STN_ROUTES_MOST 3	 /* near, in the cluster, far */
#define STN_ROUTES_NAME_BYTES 16 /* no name of one is longer */

/* stn_routes_open: as stn_transport_open, of a name with '+'. */
STN_CHECKED enum stn_err stn_routes_open(const char *name,
					 const struct stn_opening *opening,
					 struct stn_transport **transport_p,
					 struct stn_why *why);

/* stn_routes_known, stn_routes_sweep: as stn_transport_known, _sweep. */
bool stn_routes_known(const char *name);
void stn_routes_sweep(const unsigned char *address, size_t bytes);

/*
 * stn_routes_split: the names in a name; returns how many, or 0 if they are too
 * many, or one is too long, or missing.
 */
size_t stn_routes_split(const char *name,
			char names[STN_ROUTES_MOST][STN_ROUTES_NAME_BYTES]);

/* An address, taken apart; pointers are into it. */
struct stn_routes_address {
	struct stn_routes_part {
		char name[STN_ROUTES_NAME_BYTES];
		const unsigned char *bytes;
		size_t size;
	} parts[STN_ROUTES_MOST];
	size_t count;
};

/* stn_routes_parse: takes an address apart. False: it is malformed. */
bool stn_routes_parse(const unsigned char *bytes, size_t size,
		      struct stn_routes_address *address);

/* stn_routes_part: that of a transport of this name, or NULL. */
const struct stn_routes_part *
stn_routes_part(const struct stn_routes_address *address, const char *name);

#endif
