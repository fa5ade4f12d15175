/*
 * verbs_library.h: libibverbs, loaded when it is first needed, so that programs
 * run on machines without it.
 *
 * Functions that the headers define inline (ibv_post_send, ibv_poll_cq, …) call
 * the device's own table. All others are here. Three inline functions must not
 * be used, because they call the library by name: ibv_query_port,
 * ibv_query_gid_ex and ibv_query_device_ex.
 */
#ifndef STN_TRANSPORT_VERBS_VERBS_LIBRARY_H
#define STN_TRANSPORT_VERBS_VERBS_LIBRARY_H

#include <infiniband/verbs.h>
#include <stdbool.h>

#include "transport/error.h"

/* The functions used, without the prefix ibv_. */
#define VERBS_CALLS(X)                                                         \
	X(fork_init)                                                           \
	X(get_device_list)                                                     \
	X(free_device_list)                                                    \
	X(get_device_name)                                                     \
	X(open_device)                                                         \
	X(close_device)                                                        \
	X(query_device)                                                        \
	X(query_port)                                                          \
	X(alloc_pd)                                                            \
	X(dealloc_pd)                                                          \
	X(reg_mr)                                                              \
	X(dereg_mr)                                                            \
	X(create_comp_channel)                                                 \
	X(destroy_comp_channel)                                                \
	X(create_cq)                                                           \
	X(destroy_cq)                                                          \
	X(get_cq_event)                                                        \
	X(ack_cq_events)                                                       \
	X(create_srq)                                                          \
	X(destroy_srq)                                                         \
	X(create_qp)                                                           \
	X(modify_qp)                                                           \
	X(destroy_qp)                                                          \
	X(create_ah)                                                           \
	X(destroy_ah)

struct verbs_library {
#define X(name) __typeof__(ibv_##name) *name;
	VERBS_CALLS(X)
#undef X
	__typeof__(_ibv_query_gid_ex) *query_gid_ex;
};

/*
 * verbs_library_load: fills in @library. Returns STN_MISSING, with a line in
 * @why, if this machine has no libibverbs. libibverbs stays loaded. The program
 * may fork, also before Linux 5.12. Any thread.
 */
STN_CHECKED enum stn_err verbs_library_load(struct verbs_library *library,
					    struct stn_why *why);

/* verbs_query_port: as ibv_query_port. */
int verbs_query_port(const struct verbs_library *library,
		     struct ibv_context *context, uint8_t port,
		     struct ibv_port_attr *attributes);

/*
 * verbs_pages_on_demand: can the device read and write all of the process's
 * memory without registration, for reads from either end?
 */
bool verbs_pages_on_demand(struct ibv_context *context);

#endif
