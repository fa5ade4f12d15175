/*
 * ucx_library.h: UCX, loaded when it is first needed, so that programs that
 * don't use it don't pay for it.
 */
#ifndef STN_TRANSPORT_UCX_UCX_LIBRARY_H
#define STN_TRANSPORT_UCX_UCX_LIBRARY_H

#include <ucp/api/ucp.h>

#include "transport/error.h"

/* The functions used, without the prefix ucp_. */
#define UCX_CALLS(X)                                                           \
	X(config_read)                                                         \
	X(config_modify)                                                       \
	X(config_release)                                                      \
	X(init_version)                                                        \
	X(get_version)                                                         \
	X(cleanup)                                                             \
	X(context_print_info)                                                  \
	X(worker_create)                                                       \
	X(worker_destroy)                                                      \
	X(worker_get_address)                                                  \
	X(worker_release_address)                                              \
	X(worker_get_efd)                                                      \
	X(worker_arm)                                                          \
	X(worker_progress)                                                     \
	X(worker_flush_nbx)                                                    \
	X(worker_set_am_recv_handler)                                          \
	X(ep_create)                                                           \
	X(ep_close_nbx)                                                        \
	X(am_send_nbx)                                                         \
	X(am_recv_data_nbx)                                                    \
	X(am_data_release)                                                     \
	X(request_check_status)                                                \
	X(request_free)

struct ucx_library {
#define X(name) __typeof__(ucp_##name) *name;
	UCX_CALLS(X)
#undef X
	__typeof__(ucs_status_string) *status_string;
};

/*
 * ucx_library_load: fills in @library. Returns STN_MISSING, with a line in
 * @why, if this machine has no UCX. UCX stays loaded. Any thread.
 */
STN_CHECKED enum stn_err ucx_library_load(struct ucx_library *library,
					  struct stn_why *why);

#endif
