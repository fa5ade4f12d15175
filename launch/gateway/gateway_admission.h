/*
 * gateway_admission.h: how nodes and their launcher introduce themselves.
 */
#ifndef STN_LAUNCH_GATEWAY_GATEWAY_ADMISSION_H
#define STN_LAUNCH_GATEWAY_GATEWAY_ADMISSION_H

#include "launch/gateway/gateway_pending.h"

/*
 * gateway_take_handshake: a node or the launcher has sent its handshake on a
 * new connection: admits or refuses it.
 */
void gateway_take_handshake(struct gateway *gateway, struct pending *pending,
			    const struct stn_handshake *handshake);

/*
 * gateway_tell_layout: when all members have come, tells the other gateways how
 * many they are; when all clusters' sizes are known, tells the members.
 */
void gateway_tell_layout(struct gateway *gateway);

#endif
