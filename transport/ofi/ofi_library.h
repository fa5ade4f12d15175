/*
 * ofi_library.h: libfabric, loaded when it is first needed. If it were linked
 * as usual, every program would pay for it: on Debian 12 it loads libraries
 * that sleep for 0.2 s before main and install signal handlers.
 *
 * All other functions of libfabric are called through its objects' tables.
 */
#ifndef STN_TRANSPORT_OFI_OFI_LIBRARY_H
#define STN_TRANSPORT_OFI_OFI_LIBRARY_H

#include <stdbool.h>

#include <rdma/fabric.h>

#include "transport/error.h"

struct ofi_library {
	__typeof__(fi_getinfo) *getinfo;
	__typeof__(fi_freeinfo) *freeinfo;
	__typeof__(fi_dupinfo) *dupinfo;
	__typeof__(fi_fabric) *fabric;
	__typeof__(fi_strerror) *strerror;
	__typeof__(fi_version) *version;
	bool severs; /* rxm: removing an address closes its connection */
	size_t rxm_eager_bytes; /* the most sent without asking */
};

/*
 * ofi_library_load: fills in @library. Returns STN_MISSING, with a line in
 * @why, if this machine has no libfabric. libfabric stays loaded. The function
 * sets environment variables that are not set yet, so no other thread may read
 * the environment meanwhile.
 */
STN_CHECKED enum stn_err ofi_library_load(struct ofi_library *library,
					  struct stn_why *why);

/*
 * ofi_library_expect: tells libfabric how many nodes a run has; must be called
 * before ofi_library_load. rxm makes its completion queue for this many nodes.
 * By default it assumes 1024, more than the queues of some cards can hold.
 */
void ofi_library_expect(uint32_t nodes);

#endif
