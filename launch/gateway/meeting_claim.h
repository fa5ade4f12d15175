/*
 * meeting_claim.h: which gateways go on when they lose each other. A gateway
 * that goes on without another one first claims at the meeting point that the
 * other counts as dead. For a run whose number is N, the Redis server holds
 *
 *	sateen:R:lost:N	the identities of the gateways that count as dead, as
 *			16 hexadecimal digits each; expires after a day
 *
 * The server takes a claim only from a gateway that does not count as dead
 * itself, in one step. So of two gateways that claim each other's death one
 * succeeds, and never both.
 *
 * Nothing blocks. One thread.
 */
#ifndef STN_LAUNCH_GATEWAY_MEETING_CLAIM_H
#define STN_LAUNCH_GATEWAY_MEETING_CLAIM_H

#include <stdint.h>

#include "launch/gateway/meeting.h"

struct stn_claim;

enum stn_claim_state { STN_CLAIM_WAITS, STN_CLAIM_WON, STN_CLAIM_LOST };

/*
 * stn_claim_create: claims that the @count gateways with these identities count
 * as dead. @meeting must outlive the claim. @number is the same for all
 * gateways of the run, and of no other run. NULL if there is no memory.
 * stn_claim_destroy: takes NULL.
 * stn_claim_step: goes on with the claim. While the server can't be reached, it
 * is tried again and again.
 */
struct stn_claim *stn_claim_create(const struct stn_meeting *meeting,
				   uint64_t number, const uint64_t *identities,
				   uint32_t count);
void stn_claim_destroy(struct stn_claim *claim);
enum stn_claim_state stn_claim_step(struct stn_claim *claim);

#endif
