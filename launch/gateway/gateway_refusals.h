/*
 * gateway_refusals.h: what the user is told of refused connections: the first
 * few one by one, later ones as sums, so that strangers can't fill the log.
 */
#ifndef STN_LAUNCH_GATEWAY_GATEWAY_REFUSALS_H
#define STN_LAUNCH_GATEWAY_GATEWAY_REFUSALS_H

#include <stdint.h>

#include "launch/gateway/host_port.h"

struct gateway;

struct refusals {
	unsigned said;	  /* one by one */
	unsigned held;	  /* counted, but not yet printed */
	uint64_t last_ns; /* when a sum was printed, or counting began */
};

/* gateway_say_refused: a connection from @from was refused because of @why. */
void gateway_say_refused(struct gateway *gateway,
			 const struct stn_host_port *from, const char *why);

/* gateway_sum_refusals: prints the sum of later refusals, every 10 s. */
void gateway_sum_refusals(struct gateway *gateway, uint64_t now);

#endif
