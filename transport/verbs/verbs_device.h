/* verbs_device.h: chooses the port of an RDMA device for an endpoint. */
#ifndef STN_TRANSPORT_VERBS_VERBS_DEVICE_H
#define STN_TRANSPORT_VERBS_VERBS_DEVICE_H

#include <stdio.h>

#include "transport/ops.h"
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
 * @device  NULL or "auto": the first active port. Else the name of a device, or
 *     of a port: "mlx5_0:1"
 * Returns STN_MISSING if this machine has no such active port.
 */
STN_CHECKED enum stn_err verbs_port_open(const struct verbs_library *library,
					 const char *device,
					 struct verbs_port *port_p,
					 struct stn_why *why);

/*
 * verbs_port_reaches: can node @own send from its port to node @rank, which has
 * this GID of the same type? Returns STN_INVALID if not: RoCE v2 has no route
 * between an IPv4 and an IPv6 address.
 */
STN_CHECKED enum stn_err verbs_port_reaches(const struct verbs_port *port,
					    uint32_t own, uint32_t rank,
					    const union ibv_gid *gid,
					    struct stn_why *why);

/*
 * verbs_least_entries: the length of a completion queue that all devices of
 * this machine support; 0 if there is no device.
 */
uint32_t verbs_least_entries(void);

/*
 * verbs_list_ports: writes lines on the ports of this machine's devices, and on
 * what endpoints of @ops can do on the active ports.
 */
void verbs_list_ports(const struct stn_transport_ops *ops, FILE *out);

#endif
