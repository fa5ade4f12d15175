/*
 * gateway_listeners.h: the sockets at which the gateway listens: outside for
 * other gateways, inside for the cluster's nodes.
 */
#ifndef STN_LAUNCH_GATEWAY_GATEWAY_LISTENERS_H
#define STN_LAUNCH_GATEWAY_GATEWAY_LISTENERS_H

#include "launch/gateway/gateway_loop.h"
#include "launch/gateway/meeting_entry.h"

struct listener {
	struct watch watch; /* first */
	int fd;
	bool outside;
};

struct listeners {
	struct listener all[STN_ENTRY_ADDRESSES + 1];
	size_t count;
	uint16_t inside_port, outside_port;
};

/*
 * gateway_open_listeners: listens.
 * @entry  gets the addresses at which other gateways can connect
 */
STN_CHECKED enum stn_err gateway_open_listeners(struct gateway *gateway,
						struct stn_meeting_entry *entry,
						struct stn_why *why);
void gateway_close_listeners(struct gateway *gateway);

#endif
