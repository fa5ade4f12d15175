/*
 * gateway_listeners.h: the sockets at which the gateway listens: outside for
 * other gateways, inside for the cluster's nodes. And how the gateway finds
 * those of the other clusters, at the meeting point, and connects to them.
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
	uint64_t resume_ns; /* when listeners are watched again; 0: they are */
};

/*
 * gateway_open_listeners: listens.
 * @entry  gets the addresses at which other gateways can connect
 */
STN_CHECKED enum stn_err gateway_open_listeners(struct gateway *gateway,
						struct stn_meeting_entry *entry,
						struct stn_why *why);
void gateway_close_listeners(struct gateway *gateway);

/* gateway_listeners_attend: to be called now and then. */
void gateway_listeners_attend(struct gateway *gateway, uint64_t now);

struct discovery {
	struct stn_meeting_entry entry; /* this gateway's */
	bool entered;			/* the entry is at the meeting point */
	struct stn_why kept_out;	/* why it is not there yet */
	uint64_t give_up_ns;		/* on finding, then on connecting */
	uint64_t look_ns; /* when the meeting point is asked again */
};

/*
 * gateway_discover: until the run begins: asks the meeting point and opens
 * connections. Then keeps the entry alive.
 */
void gateway_discover(struct gateway *gateway, uint64_t now);

/*
 * gateway_look: asks the meeting point for the other entries now. Before all
 * clusters are known, and only if our own entry is there.
 */
void gateway_look(struct gateway *gateway);

#endif
