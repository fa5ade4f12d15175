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

struct verbs_library {
	struct ibv_device **(*get_device_list)(int *count_p);
	void (*free_device_list)(struct ibv_device **list);
	const char *(*get_device_name)(struct ibv_device *device);
	struct ibv_context *(*open_device)(struct ibv_device *device);
	int (*close_device)(struct ibv_context *context);
	int (*query_device)(struct ibv_context *context,
			    struct ibv_device_attr *device);
	int (*query_port)(struct ibv_context *context, uint8_t port,
			  struct _compat_ibv_port_attr *attributes);
	int (*query_gid_ex)(struct ibv_context *context, uint32_t port,
			    uint32_t index, struct ibv_gid_entry *entry,
			    uint32_t flags, size_t entry_bytes);
	struct ibv_pd *(*alloc_pd)(struct ibv_context *context);
	int (*dealloc_pd)(struct ibv_pd *domain);
	struct ibv_mr *(*reg_mr)(struct ibv_pd *domain, void *at, size_t bytes,
				 int access);
	int (*dereg_mr)(struct ibv_mr *region);
	struct ibv_comp_channel *(*create_comp_channel)(
		struct ibv_context *context);
	int (*destroy_comp_channel)(struct ibv_comp_channel *channel);
	struct ibv_cq *(*create_cq)(struct ibv_context *context, int entries,
				    void *arg, struct ibv_comp_channel *channel,
				    int vector);
	int (*destroy_cq)(struct ibv_cq *queue);
	int (*get_cq_event)(struct ibv_comp_channel *channel,
			    struct ibv_cq **queue_p, void **arg_p);
	void (*ack_cq_events)(struct ibv_cq *queue, unsigned count);
	struct ibv_srq *(*create_srq)(struct ibv_pd *domain,
				      struct ibv_srq_init_attr *attributes);
	int (*destroy_srq)(struct ibv_srq *queue);
	struct ibv_qp *(*create_qp)(struct ibv_pd *domain,
				    struct ibv_qp_init_attr *attributes);
	int (*modify_qp)(struct ibv_qp *pair, struct ibv_qp_attr *attributes,
			 int mask);
	int (*destroy_qp)(struct ibv_qp *pair);
	struct ibv_ah *(*create_ah)(struct ibv_pd *domain,
				    struct ibv_ah_attr *attributes);
	int (*destroy_ah)(struct ibv_ah *route);
};

/*
 * verbs_library_load: fills in @library. Returns STN_MISSING, with a line in
 * @why, if this machine has no libibverbs. libibverbs stays loaded. Any thread.
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
