/*
 * ofi_provider.h: what is known of libfabric's providers, and how one is
 * chosen.
 */
#ifndef STN_TRANSPORT_OFI_OFI_PROVIDER_H
#define STN_TRANSPORT_OFI_OFI_PROVIDER_H

#include <stdbool.h>
#include <stdio.h>

#include "transport/ofi/ofi_library.h"
#include "transport/transport.h"

/* What a provider is like. */
enum ofi_is {
	OFI_IP = 1,	 /* it listens on an IP address */
	OFI_SLEEPS = 2,	 /* one can sleep on its queue's descriptor */
	OFI_RXM = 4,	 /* datagrams made of connections */
	OFI_SOCKETS = 8, /* over TCP: takes without bound what is to be sent */
	OFI_FORGETS = 16 /* of a dead peer it touches no memory any more */
};

struct ofi_provider {
	const char *name, *full; /* for people, and for libfabric */
	unsigned is;		 /* of enum ofi_is */
	size_t eager_bytes;	 /* up to which copying beats reading */
};

/*
 * ofi_provider_find: what is known of a provider, by either of its names; of
 * one that isn't, the least.
 */
struct ofi_provider ofi_provider_find(const char *name);

/* ofi_provider_choose: the provider that an endpoint is to be opened with. */
STN_CHECKED enum stn_err ofi_provider_choose(const struct ofi_library *library,
					     const struct stn_opening *opening,
					     struct fi_info **info_p,
					     struct stn_why *why);

/*
 * ofi_provider_pick: of what libfabric lists, that of a provider, by its full
 * name, or of the best one that listens on an address if @full is NULL, on
 * @device (mlx5_0:1; NULL, "auto": any). If none is on that: the first, as
 * where an address was named, which is another card's. NULL: there is none.
 */
const struct fi_info *ofi_provider_pick(const struct fi_info *list,
					const char *full, const char *device);

/*
 * ofi_provider_has: does the provider serve here? That of sockets always does.
 */
bool ofi_provider_has(const struct ofi_library *library, const char *name);

/* ofi_provider_list: a line on each that serves here. */
void ofi_provider_list(const struct ofi_library *library, FILE *out);

#endif
