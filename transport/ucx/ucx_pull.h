/*
 * ucx_pull.h: the functions of ucx_pull.c that other files of the backend call.
 */
#ifndef STN_TRANSPORT_UCX_UCX_PULL_H
#define STN_TRANSPORT_UCX_UCX_PULL_H

#include "transport/ucx/ucx.h"

/* ucx_pull.c: offer, pull and refuse of stn_transport_ops. */
void ucx_offer(struct stn_transport *transport, uint32_t to, uint8_t kind,
	       const void *header, size_t header_bytes,
	       const struct iovec *pieces, size_t count, stn_done *done,
	       void *arg);
void ucx_pull(struct stn_transport *transport,
	      const struct stn_arrival *arrival, const struct iovec *pieces,
	      size_t count, stn_done *done, void *arg);
void ucx_refuse(struct stn_transport *transport,
		const struct stn_arrival *arrival);

#endif
