/*
 * ofi_provider.h: what is known of libfabric's providers, and how one is
 * chosen.
 */
#ifndef STN_TRANSPORT_OFI_PROVIDER_H
#define STN_TRANSPORT_OFI_PROVIDER_H

#include <stdbool.h>
#include <stdio.h>

#include "transport/ofi_library.h"
#include "transport/transport.h"

/* What becomes of posted operations when a peer is declared dead. */
enum ofi_at_death {
	OFI_KEEPS,   /* libfabric ends them, when it has noticed, too */
	OFI_SEVERS,  /* removing the peer's address ends them */
	OFI_FORGETS, /* nobody will touch their memory any more */
};

struct ofi_provider {
	const char *name, *full; /* for people, and for libfabric */
	bool ip;		 /* listens on an IP address */
	bool sleeps;		 /* one can sleep on its queue's descriptor */
	size_t eager_bytes;	 /* up to which copying beats reading */
	enum ofi_at_death at_death;
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

/* ofi_provider_list: a line on each that serves here. */
void ofi_provider_list(const struct ofi_library *library, FILE *out);

#endif
