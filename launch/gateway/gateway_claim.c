#include "launch/gateway/gateway_claim.h"

#include "launch/gateway/gateway_private.h"

#define CLAIM_NS (15 * STN_SECOND_NS) /* for the meeting point to answer */

/* The gateways' identities are random, and so is their sum. */
static uint64_t
run_number(const struct gateway *gateway)
{
	uint64_t number = 0;

	for (uint32_t i = 0; i < gateway->known; i++)
		number += gateway->clusters[i].entry.identity;
	return number;
}

static void
begin_claim(struct gateway *gateway, uint64_t now)
{
	struct claim *claim = &gateway->claim;
	uint64_t lost[STN_CLUSTERS_MOST];
	uint32_t count = 0;

	for (uint32_t i = 0; i < gateway->known; i++) {
		struct cluster *cluster = &gateway->clusters[i];

		cluster->claimed = cluster->lost && !cluster->dead;
		if (cluster->claimed)
			lost[count++] = cluster->entry.identity;
	}
	if (!count)
		return;
	claim->at_meeting = stn_claim_create(gateway->meeting,
					     run_number(gateway), lost, count);
	claim->end_ns = now + CLAIM_NS;
	if (!claim->at_meeting)
		gateway_fail(gateway, "out of memory");
}

static void
claim_won(struct gateway *gateway)
{
	for (uint32_t i = 0; i < gateway->known; i++)
		if (gateway->clusters[i].claimed)
			gateway_count_as_dead(gateway, i);
}

void
gateway_attend_claim(struct gateway *gateway, uint64_t now)
{
	struct claim *claim = &gateway->claim;
	enum stn_claim_state state;

	if (!claim->at_meeting)
		begin_claim(gateway, now);
	if (!claim->at_meeting)
		return;
	state = stn_claim_step(claim->at_meeting);
	if (state == STN_CLAIM_WAITS && now < claim->end_ns)
		return;
	stn_claim_destroy(claim->at_meeting);
	claim->at_meeting = NULL;
	if (state == STN_CLAIM_WON)
		claim_won(gateway);
	else if (state == STN_CLAIM_LOST)
		gateway_end_part(gateway, "this cluster has lost the others, "
					  "and the run goes on without it");
	else
		gateway_fail(gateway,
			     "another gateway is lost, and the Redis server at "
			     "%s does not answer, which knows whether this "
			     "part of the run may go on",
			     gateway->options->at);
}

void
gateway_close_claim(struct gateway *gateway)
{
	stn_claim_destroy(gateway->claim.at_meeting);
}
