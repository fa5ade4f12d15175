/*
 * ucx_calls.h: UCX's functions for bare_ucx.c, from a library that is loaded
 * when it is first needed. If it were linked in the usual way, UCX would
 * configure itself before Sateen's transport has set its variables.
 */
#ifndef BENCH_FABRIC_UCX_CALLS_H
#define BENCH_FABRIC_UCX_CALLS_H

#include <ucp/api/ucp.h>

#include "transport/error.h"

#define UCX_CALLS(X)                                                           \
	X(ucp_config_read)                                                     \
	X(ucp_config_modify)                                                   \
	X(ucp_config_release)                                                  \
	X(ucp_init_version)                                                    \
	X(ucp_cleanup)                                                         \
	X(ucp_worker_create)                                                   \
	X(ucp_worker_destroy)                                                  \
	X(ucp_worker_progress)                                                 \
	X(ucp_worker_get_address)                                              \
	X(ucp_worker_release_address)                                          \
	X(ucp_worker_set_am_recv_handler)                                      \
	X(ucp_ep_create)                                                       \
	X(ucp_ep_close_nbx)                                                    \
	X(ucp_am_send_nbx)                                                     \
	X(ucp_am_recv_data_nbx)                                                \
	X(ucp_request_check_status)                                            \
	X(ucp_request_free)                                                    \
	X(ucs_status_string)

/* The members have the names of UCX's functions. */
struct ucx_calls {
#define X(name) __typeof__(name) *name;
	UCX_CALLS(X)
#undef X
};

/* ucx_calls_load: STN_MISSING, with the reason in @why, if UCX is missing. */
STN_CHECKED enum stn_err ucx_calls_load(struct ucx_calls *calls,
					struct stn_why *why);

#endif
