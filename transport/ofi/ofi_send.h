/*
 * ofi_send.h: the functions of ofi_send.c and ofi_pull.c that other files of
 * the backend call.
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

/* ofi_pulls_init: must be called before anything is offered or pulled. */
void ofi_pulls_init(struct ofi *ofi);

/* The rest of the table; ofi_open.c has the others. See transport/ops.h. */
stn_ops_send ofi_send, ofi_offer;
stn_ops_pull ofi_pull;
stn_ops_refuse ofi_refuse;

#endif
