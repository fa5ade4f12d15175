/*
 * addresses.h: which IP addresses a host has, and by which of them the hosts of
 * a run reach each other.
 */
#ifndef STN_TRANSPORT_SURVEY_ADDRESSES_H
#define STN_TRANSPORT_SURVEY_ADDRESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transport/error.h"

#define STN_ADDRESSES_MOST 16	  /* that a host shows the others */
#define STN_INTERFACE_BYTES 16	  /* for an interface's name */
#define STN_ADDRESS_TEXT_BYTES 64 /* for an address, with its prefix */

/* An address of an interface that is up. */
struct stn_address {
	uint8_t family; /* 4 or 6 */
	uint8_t prefix; /* bits of the network */
	bool routed;	/* the default route goes by this interface */
	uint32_t mbits; /* the interface's speed, per second; 0: unknown */
	unsigned char bytes[16];
	char interface[STN_INTERFACE_BYTES];
};

struct stn_addresses {
	size_t count;
	bool wished; /* they are what the user asked for */
	struct stn_address at[STN_ADDRESSES_MOST];
};

/* What the user asks for; NULL or "auto": nothing. */
struct stn_address_wish {
	const char *interface;
	const char *address; /* a host's name, an address, or one with /BITS */
};

/*
 * stn_addresses_take: those that others could use: not of loopback, and none
 * that leaves no link; or those that are wished for, and there must be one.
 */
STN_CHECKED enum stn_err stn_addresses_take(const struct stn_address_wish *wish,
					    struct stn_addresses *addresses,
					    struct stn_why *why);

/*
 * stn_addresses_choose: one for each of @count nodes, so that all are in one
 * network, the fastest that there is; or else where each one's default route
 * goes. No two hosts may have the same.
 * @hosts  the number of each node's host
 * @names  each node's host's name, for people
 * @which  set to indices into each node's addresses
 */
STN_CHECKED enum stn_err
stn_addresses_choose(const struct stn_addresses *const *all, size_t count,
		     const uint32_t *hosts, const char *const *names,
		     uint8_t *which, struct stn_why *why);

/*
 * stn_address_print: as people write it. stn_address_print_network: the network
 * it is in: 10.0.0.0/24
 */
void stn_address_print(const struct stn_address *address,
		       char text[STN_ADDRESS_TEXT_BYTES]);
void stn_address_print_network(const struct stn_address *address,
			       char text[STN_ADDRESS_TEXT_BYTES]);

#endif
