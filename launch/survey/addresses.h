/*
 * addresses.h: the IP addresses of a host, and the choice of the addresses by
 * which the hosts of a run reach each other.
 */
#ifndef STN_LAUNCH_SURVEY_ADDRESSES_H
#define STN_LAUNCH_SURVEY_ADDRESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transport/error.h"

#define STN_ADDRESSES_MOST 16	  /* addresses in one host's card */
#define STN_INTERFACE_BYTES 16	  /* of an interface's name, with its NUL */
#define STN_ADDRESS_TEXT_BYTES 64 /* of an address with prefix, as text */

/* An address of an interface that is up. */
struct stn_address {
	uint8_t family; /* 4 or 6 */
	uint8_t prefix; /* length of the network's prefix, in bits */
	bool routed;	/* the default route uses this interface */
	uint32_t mbits; /* the interface's speed, in Mb/s; 0: unknown */
	unsigned char bytes[16];
	char interface[STN_INTERFACE_BYTES];
};

struct stn_addresses {
	size_t count;
	bool filtered; /* the user named an interface or an address */
	struct stn_address at[STN_ADDRESSES_MOST];
};

/* The user's choice. NULL or "auto": the user has named none. */
struct stn_address_filter {
	const char *interface;
	const char *address; /* a host's name, an address, or a network/BITS */
};

/*
 * stn_addresses_discover: lists this host's addresses that other hosts may
 * reach. Loopback and link-local addresses are left out. If @filter names an
 * interface or an address, lists the addresses that match it, loopback
 * included; STN_MISSING if none does, STN_INVALID if the filter makes no sense.
 * STN_IO if the kernel fails. Blocks while it resolves a host's name.
 */
STN_CHECKED enum stn_err
stn_addresses_discover(const struct stn_address_filter *filter,
		       struct stn_addresses *addresses, struct stn_why *why);

/*
 * stn_addresses_choose: chooses an address of each of @count nodes. Prefers the
 * fastest network in which all nodes have an address; if there is none, takes
 * addresses of the interfaces that the default routes use. Two hosts never get
 * the same address. STN_MISSING if the hosts can't reach each other,
 * STN_INVALID if two hosts have the same address, STN_NO_MEMORY.
 * @all    the addresses of each node
 * @hosts  the number of each node's host
 * @names  the name of each node's host, for messages
 * @which  set to an index into each node's addresses
 */
STN_CHECKED enum stn_err
stn_addresses_choose(const struct stn_addresses *const *all, size_t count,
		     const uint32_t *hosts, const char *const *names,
		     uint8_t *which, struct stn_why *why);

/*
 * stn_address_is_within: are the first bits of @address, as many as @network's
 * prefix has, equal to those of @network?
 */
bool stn_address_is_within(const struct stn_address *address,
			   const struct stn_address *network);

/*
 * stn_address_print: writes the address as text: 10.0.0.7
 * stn_address_print_network: writes its network as text: 10.0.0.0/24
 */
void stn_address_print(const struct stn_address *address,
		       char text[STN_ADDRESS_TEXT_BYTES]);
void stn_address_print_network(const struct stn_address *address,
			       char text[STN_ADDRESS_TEXT_BYTES]);

#endif
