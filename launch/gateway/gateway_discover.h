/*
 * gateway_discover.h: finds the gateways of the other clusters at the meeting
 * point and connects to them.
 */
#ifndef STN_LAUNCH_GATEWAY_GATEWAY_DISCOVER_H
#define STN_LAUNCH_GATEWAY_GATEWAY_DISCOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "launch/gateway/meeting_entry.h"

struct gateway;

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

#endif
