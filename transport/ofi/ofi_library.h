/*
 * ofi_library.h: libfabric, loaded when it is first needed. Linked in the usual
 * way it would make every program pay for it: on Debian 12 it brings libraries
 * that sleep 0.2 s before main and take over the signal handlers.
 *
 * All other calls of libfabric go through its objects' own tables.
 */
#ifndef STN_TRANSPORT_OFI_OFI_LIBRARY_H
#define STN_TRANSPORT_OFI_OFI_LIBRARY_H

#include <stdbool.h>

#include <rdma/fabric.h>

#include "transport/error.h"

struct ofi_library {
	int (*getinfo)(uint32_t version, const char *node, const char *service,
		       uint64_t flags, const struct fi_info *hints,
		       struct fi_info **info_p);
	void (*freeinfo)(struct fi_info *info);
	struct fi_info *(*dupinfo)(const struct fi_info *info);
	int (*fabric)(struct fi_fabric_attr *attributes,
		      struct fid_fabric **fabric_p, void *context);
	const char *(*strerror)(int err);
	uint32_t (*version)(void);
	bool severs; /* rxm: who removes an address closes its connection */
	size_t rxm_eager_bytes; /* rxm sends so much without asking first */
};

/*
 * ofi_library_load: fills in @library; STN_MISSING, with a line in @why, if
 * there is no libfabric on this machine. It stays loaded. It is configured by
 * the environment, in which what isn't set yet is set: so no other thread may
 * look at that meanwhile.
 */
STN_CHECKED enum stn_err ofi_library_load(struct ofi_library *library,
					  struct stn_why *why);

/*
 * ofi_library_expect: before it is loaded: how many nodes a run has. rxm has a
 * completion queue for so many, or for 1024, which is more than some cards
 * have.
 */
void ofi_library_expect(uint32_t nodes);

#endif
