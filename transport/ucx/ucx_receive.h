/*
 * ucx_receive.h: the functions of ucx_receive.c that other files of the backend
 * call.
 */
#ifndef STN_TRANSPORT_UCX_UCX_RECEIVE_H
#define STN_TRANSPORT_UCX_UCX_RECEIVE_H

#include "transport/ucx/ucx.h"

/* ucx_arrived: UCX's handler of active messages. */
ucs_status_t ucx_arrived(void *arg, const void *head, size_t head_bytes,
			 void *data, size_t data_bytes,
			 const ucp_am_recv_param_t *params);

/* ucx_run_deferred: handles all deferred messages; returns how many. */
unsigned ucx_run_deferred(struct ucx *ucx);

#endif
