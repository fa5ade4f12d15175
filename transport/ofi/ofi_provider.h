/* ofi_provider.h: facts about libfabric's providers, and the choice of one. */
#ifndef STN_TRANSPORT_OFI_OFI_PROVIDER_H
#define STN_TRANSPORT_OFI_OFI_PROVIDER_H

#include <stdbool.h>
#include <stdio.h>

#include "transport/ofi/ofi_library.h"
#include "transport/ops.h"

/* Traits of a provider. */
enum ofi_trait {
	OFI_IP = 1,	 /* listens on an IP address */
	OFI_SLEEPS = 2,	 /* its completion queue has a descriptor to sleep on */
	OFI_RXM = 4,	 /* datagrams over connections */
	OFI_SOCKETS = 8, /* over TCP: queues sends without a bound */
	OFI_FORGETS = 16, /* leaves the memory of dead peers alone */
	OFI_EVENTS = 32 /* its event queue has a descriptor to sleep on */
};

struct ofi_provider {
	const char *name, *full; /* for users, and for libfabric */
	unsigned traits;	 /* of enum ofi_trait */
	size_t eager_bytes;	 /* above this, reading is faster */
};

/*
 * ofi_provider_find: the facts about a provider, by either of its names, but
 * "tcp" is a user's. If the provider is unknown, the fewest abilities are
 * assumed.
 * @version  libfabric's: a provider's full name depends on it
 * ofi_provider_full: the same by libfabric's name of a provider that it has.
 */
struct ofi_provider ofi_provider_find(const char *name, uint32_t version);
struct ofi_provider ofi_provider_full(const char *full);

/*
 * ofi_provider_choose: finds the provider for an endpoint. *info_p is the
 * caller's.
 */
STN_CHECKED enum stn_err ofi_provider_choose(const struct ofi_library *library,
					     const struct stn_opening *opening,
					     struct fi_info **info_p,
					     struct stn_why *why);

/*
 * ofi_provider_pick: chooses from libfabric's list.
 * @full  the provider's full name; NULL: the best that listens on an address
 * @device  the card, such as mlx5_0:1; NULL or "auto": any
 * If the provider is not on that card, returns its first entry: the given
 * address may be another card's. Returns NULL if the provider is not listed.
 */
const struct fi_info *ofi_provider_pick(const struct fi_info *list,
					const char *full, const char *device);

/*
 * ofi_provider_has: does the provider work on this machine? Providers over
 * sockets always do.
 */
bool ofi_provider_has(const struct ofi_library *library, const char *name);

/*
 * ofi_provider_list: writes a line about each provider that works here.
 * @ops  the table of this backend
 */
void ofi_provider_list(const struct ofi_library *library,
		       const struct stn_transport_ops *ops, FILE *out);

#endif
