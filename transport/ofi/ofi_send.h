/*
 * ofi_send.h: the functions of ofi_send.c that other files of the backend call.
 */
#ifndef STN_TRANSPORT_OFI_OFI_SEND_H
#define STN_TRANSPORT_OFI_OFI_SEND_H

#include "transport/ofi/ofi.h"

/* ofi_peers_init: must be called before anything is sent. */
void ofi_peers_init(struct ofi *ofi);

/*
 * ofi_send_packet: sends a packet, a header and the pieces of a payload. They
 * are gathered from the caller's memory, which must not change until @done is
 * called. Without @done there may be no pieces, and a header that can't leave
 * at once is copied.
 */
void ofi_send_packet(struct ofi *ofi, uint32_t to,
		     const struct stn_packet *packet, struct iovec header,
		     const struct iovec *pieces, size_t count, stn_done *done,
		     void *arg);

/* ofi_copy: copies a payload into one block, which the caller puts back. */
struct iovec ofi_copy(struct ofi *ofi, const struct iovec *pieces,
		      size_t count);

/* The rest of the table; ofi_open.c has the others. See transport/ops.h. */
void ofi_send(struct stn_transport *transport, uint32_t to, uint8_t kind,
	      const void *header, size_t header_bytes,
	      const struct iovec *pieces, size_t count, stn_done *done,
	      void *arg);

#endif
