#include "launch/gateway/gateway_claim.h"

#include <poll.h>

#include "launch/gateway/gateway_private.h"

#define CLAIM_NS (15 * STN_SECOND_NS) /* for the meeting point to answer */
#define ASK_MS 10

/* Asks the meeting point; without lost clusters, whether we count as dead. */
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
	claim->at_meeting = stn_claim_create(gateway->meeting,
					     gateway_run_number(gateway), lost,
					     count);
	claim->end_ns = now + CLAIM_NS;
	if (!claim->at_meeting)
		gateway_fail(gateway, "out of memory");
}

static bool
some_lost(const struct gateway *gateway)
{
	for (uint32_t i = 0; i < gateway->known; i++)
		if (gateway->clusters[i].lost && !gateway->clusters[i].dead)
			return true;
	return false;
}

static void
claim_won(struct gateway *gateway)
{
	for (uint32_t i = 0; i < gateway->known; i++)
		if (gateway->clusters[i].claimed)
			gateway_count_as_dead(gateway, i);
}

/*
 * Results that are on their way from the others would let main go on in this
 * cluster as well.
 */
static void
claim_lost(struct gateway *gateway)
{
	gateway_cut_trunks(gateway, true);
	gateway_end_part(gateway, "the other clusters have lost this one, and "
				  "the run goes on without it");
}

/* Returns false while there is no answer. */
static bool
step_claim(struct gateway *gateway, uint64_t now)
{
	struct claim *claim = &gateway->claim;
	enum stn_claim_state state = stn_claim_step(claim->at_meeting);

	if (state == STN_CLAIM_WAITS && now < claim->end_ns)
		return false;
	gateway_close_claim(gateway);
	if (state == STN_CLAIM_WON)
		claim_won(gateway);
	else if (state == STN_CLAIM_LOST)
		claim_lost(gateway);
	else
		gateway_fail(gateway,
			     "another gateway is lost, and the Redis server at "
			     "%s does not answer, which knows whether this "
			     "part of the run may go on",
			     gateway->options->at);
	return true;
}

void
gateway_attend_claim(struct gateway *gateway, uint64_t now)
{
	if (!gateway->claim.at_meeting && some_lost(gateway))
		begin_claim(gateway, now);
	if (gateway->claim.at_meeting)
		step_claim(gateway, now);
}

bool
gateway_woke(struct gateway *gateway)
{
	uint64_t now = gateway_now(), before = gateway->claim.woke_ns;

	gateway->claim.woke_ns = now;
	if (!before || !gateway->options->silence_ns ||
	    now - before < gateway->options->silence_ns / 2 ||
	    !gateway->membership.begun || gateway->over ||
	    gateway->failure.declared)
		return true;
	if (!gateway->claim.at_meeting)
		begin_claim(gateway, now);
	while (gateway->claim.at_meeting && !step_claim(gateway, gateway_now()))
		poll(NULL, 0, ASK_MS);
	gateway->claim.woke_ns = gateway_now();
	return !gateway->failure.declared;
}

void
gateway_close_claim(struct gateway *gateway)
{
	stn_claim_destroy(gateway->claim.at_meeting);
	gateway->claim.at_meeting = NULL;
}
