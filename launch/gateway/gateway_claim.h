/*
 * gateway_claim.h: the gateway that hosts the sequencer claims the deaths of
 * the gateways that are lost (meeting_claim.h). If the claim is refused, this
 * cluster's part of the run ends.
 */
#ifndef STN_LAUNCH_GATEWAY_GATEWAY_CLAIM_H
#define STN_LAUNCH_GATEWAY_GATEWAY_CLAIM_H

#include <stdbool.h>
#include <stdint.h>

#include "launch/gateway/meeting_claim.h"

struct gateway;

struct claim {
	struct stn_claim *at_meeting; /* NULL: none is being made */
	uint64_t end_ns;	      /* gives up then */
	uint64_t woke_ns;	      /* when gateway_woke was called last */
};

/*
 * gateway_attend_claim: makes the claims that are needed. Calls
 * gateway_count_as_dead for each cluster whose death is settled.
 */
void gateway_attend_claim(struct gateway *gateway, uint64_t now);

/*
 * gateway_woke: to be called between waiting for events and handling them. If
 * this process was stopped meanwhile, for about as long as a gateway may be
 * silent, asks the meeting point whether this gateway counts as dead, and
 * blocks until there is an answer. False if the events must not be handled.
 */
bool gateway_woke(struct gateway *gateway);
void gateway_close_claim(struct gateway *gateway);

#endif
