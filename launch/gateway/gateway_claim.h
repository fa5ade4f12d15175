/*
 * gateway_claim.h: the gateway that hosts the sequencer claims the deaths of
 * the gateways that are lost (meeting_claim.h). If the claim is refused, this
 * cluster's part of the run ends.
 */
#ifndef STN_LAUNCH_GATEWAY_GATEWAY_CLAIM_H
#define STN_LAUNCH_GATEWAY_GATEWAY_CLAIM_H

#include <stdint.h>

#include "launch/gateway/meeting_claim.h"

struct gateway;

struct claim {
	struct stn_claim *at_meeting; /* NULL: none is being made */
	uint64_t end_ns;	      /* gives up then */
};

/*
 * gateway_attend_claim: makes the claims that are needed. Calls
 * gateway_count_as_dead for each cluster whose death is settled.
 */
void gateway_attend_claim(struct gateway *gateway, uint64_t now);
void gateway_close_claim(struct gateway *gateway);

#endif
