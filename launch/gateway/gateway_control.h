/*
 * gateway_control.h: the control socket of a gateway (launch/run/control.h), by
 * which other commands of the user on this host reach its cluster:
 *
 *	list			describes the cluster, for `sateen runs`
 *	leave NAME		its nodes leave the run; the name of the cluster
 *	leave node N		node N of the cluster leaves
 */
#ifndef STN_LAUNCH_GATEWAY_GATEWAY_CONTROL_H
#define STN_LAUNCH_GATEWAY_GATEWAY_CONTROL_H

#include <stdint.h>
#include <time.h>

#include "launch/run/control.h"

struct gateway;

/* A request that waits for nodes to leave. */
struct leave_request {
	uint64_t number;
	uint32_t first, count; /* the nodes, in the cluster */
};

struct gateway_control {
	struct stn_control *socket; /* or NULL */
	uint64_t look_ns;	    /* when it is looked at again */
	time_t began;
	struct leave_request waiting[STN_CONTROL_CLIENTS];
	uint32_t waiting_count;
};

/* gateway_control_open: if it fails, other commands can't reach the cluster. */
void gateway_control_open(struct gateway *gateway);
void gateway_control_close(struct gateway *gateway);

/* gateway_control_attend: to be called after each handling of events. */
void gateway_control_attend(struct gateway *gateway, uint64_t now);

#endif
