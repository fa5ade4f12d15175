/*
 * ofi_receive.h: the functions of ofi_receive.c that other files of the backend
 * call.
 */
#ifndef STN_TRANSPORT_OFI_OFI_RECEIVE_H
#define STN_TRANSPORT_OFI_OFI_RECEIVE_H

#include "transport/ofi/ofi.h"

/*
 * ofi_post_receives: posts all buffers.
 * ofi_post_rest: posts the buffers in ofi->unposted, which libfabric could not
 * take back at once. Both return libfabric's last error.
 */
ssize_t ofi_post_receives(struct ofi *ofi);
ssize_t ofi_post_rest(struct ofi *ofi);

#endif
