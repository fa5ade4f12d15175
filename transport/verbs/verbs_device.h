/*
 * verbs_device.h: which port of which RDMA device an endpoint uses.
 */
#ifndef STN_TRANSPORT_VERBS_VERBS_DEVICE_H
#define STN_TRANSPORT_VERBS_VERBS_DEVICE_H

#include <stdio.h>

#include "transport/verbs/verbs_library.h"

struct verbs_port {
	struct ibv_context *context;
	struct ibv_device_attr device;
	struct ibv_port_attr attributes;
	struct ibv_gid_entry gid;
	uint8_t number;
};

/*
 * verbs_port_open: opens a device and chooses its port.
 * @device  NULL, "auto": the first port that is active; else a device's name,
 *     or that with a port's number: "mlx5_0:1"
 * STN_MISSING if there is none such on this machine.
 */
STN_CHECKED enum stn_err verbs_port_open(const struct verbs_library *library,
					 const char *device,
					 struct verbs_port *port_p,
					 struct stn_why *why);

/*
 * verbs_least_entries: how long a completion queue can be on every device of
 * this machine; 0: there is none.
 */
uint32_t verbs_least_entries(void);

/* verbs_list: as stn_transport_ops.list. */
void verbs_list(FILE *out);

#endif
