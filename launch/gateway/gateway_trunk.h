/*
 * gateway_trunk.h: the trunks: how two gateways agree on one connection, and
 * what comes by it.
 */
#ifndef STN_LAUNCH_GATEWAY_GATEWAY_TRUNK_H
#define STN_LAUNCH_GATEWAY_GATEWAY_TRUNK_H

#include "launch/gateway/gateway_pending.h"

/* gateway_send_hello: sends HELLO on a connection that TLS has proved. */
void gateway_send_hello(struct gateway *gateway, struct pending *pending);

/*
 * gateway_read_pending: reads what has come on a proved connection, which then
 * may become the trunk, or be closed.
 */
void gateway_read_pending(struct gateway *gateway, struct pending *pending);

/* The switch's owner is the gateway. */
extern const struct stn_switch_calls gateway_switch_calls;

#endif
