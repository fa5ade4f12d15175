/*
 * ofi_pull.h: the functions of ofi_pull.c that other files of the backend call.
 */
#ifndef STN_TRANSPORT_OFI_OFI_PULL_H
#define STN_TRANSPORT_OFI_OFI_PULL_H

#include "transport/ofi/ofi.h"

/* ofi_pulls_init: must be called before anything is offered or pulled. */
void ofi_pulls_init(struct ofi *ofi);

/* The rest of the table; ofi_open.c has the others. See transport/ops.h. */
void ofi_offer(struct stn_transport *transport, uint32_t to, uint8_t kind,
	       const void *header, size_t header_bytes,
	       const struct iovec *pieces, size_t count, stn_done *done,
	       void *arg);
void ofi_pull(struct stn_transport *transport,
	      const struct stn_arrival *arrival, const struct iovec *pieces,
	      size_t count, stn_done *done, void *arg);
void ofi_refuse(struct stn_transport *transport,
		const struct stn_arrival *arrival);

#endif
