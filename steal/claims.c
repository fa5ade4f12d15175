#include "steal/claims.h"

#include <stdlib.h>

#include "node/dispatch.h"
#include "node/membership_tree.h"
#include "node/sleep.h"
#include "steal/steal.h"

void
stn_claims_fini(struct stn_claims *claims)
{
	free(claims->waiting);
	*claims = (struct stn_claims){ 0 };
}

static bool
runs_unclaimed(const struct stn_steal *steal)
{
	const struct stn_members *members = &steal->node->members;
	const struct stn_job *job;

	LIST_FOREACH (job, &steal->jobs, all)
		if (!job->landing && !job->leaves && !job->done &&
		    stn_members_lost(members, job->record.rank))
			return true;
	return false;
}

/* How many nodes are gone. Jobs become orphans only when this number grows. */
static struct stn_wire_claimed
claimed_now(const struct stn_steal *steal)
{
	const struct stn_members *members = &steal->node->members;

	return (struct stn_wire_claimed){ members->begun - members->living };
}

static void
say_claimed(struct stn_steal *steal, uint32_t to)
{
	const struct stn_wire_claimed claimed = claimed_now(steal);

	stn_node_say(steal->node, to, STN_CLAIMED, &claimed, sizeof(claimed));
}

static bool
runs_main(const struct stn_steal *steal)
{
	return steal->node->members.root == steal->node->rank;
}

static void
none_is_unclaimed(struct stn_steal *steal)
{
	steal->unclaimed = false;
	steal->impatience = 0; /* the waits after the next death are others */
	stn_request_cancel_lifelines(steal); /* they may say bound */
	stn_node_wake(steal->node); /* workers were bound */
}

/* Tells all nodes below this one in the tree of the view. */
static void
claims_spread(struct stn_steal *steal)
{
	const struct stn_node *node = steal->node;
	uint32_t children[STN_MEMBERSHIP_CHILDREN];
	uint32_t count = stn_membership_children(&node->members, node->rank,
						 node->cluster, children);

	for (uint32_t i = 0; i < count; i++)
		say_claimed(steal, children[i]);
	none_is_unclaimed(steal);
}

/* On the root: node @rank runs no unclaimed orphans any more. */
static void
has_claimed(struct stn_steal *steal, uint32_t rank)
{
	struct stn_claims *claims = &steal->claims;
	uint64_t bit = UINT64_C(1) << rank % 64;

	if (!claims->count || !(claims->waiting[rank / 64] & bit))
		return;
	claims->waiting[rank / 64] &= ~bit;
	if (!--claims->count)
		claims_spread(steal);
}

void
stn_claims_notices(struct stn_steal *steal)
{
	const uint64_t words[2] = { 0 };

	if (runs_unclaimed(steal))
		stn_membership_notice(steal->node, STN_CLAIMED, words, 0);
}

/* On the root: node @rank has announced unclaimed orphans. */
static void
await_claims(struct stn_steal *steal, uint32_t rank)
{
	struct stn_claims *claims = &steal->claims;
	uint64_t bit = UINT64_C(1) << rank % 64;

	if (!claims->waiting)
		claims->waiting = calloc(steal->node->topology->nodes / 64 + 1,
					 sizeof(claims->waiting[0]));
	if (!claims->waiting)
		stn_node_fail(steal->node, "out of memory");
	claims->count += !(claims->waiting[rank / 64] & bit);
	claims->waiting[rank / 64] |= bit;
}

void
stn_claims_noticed(struct stn_steal *steal, const struct stn_notice *notices,
		   size_t count)
{
	struct stn_claims *claims = &steal->claims;
	const struct stn_node *node = steal->node;
	bool any = false;

	stn_claims_fini(claims);
	for (size_t i = 0; i < count; i++) {
		uint32_t from = notices[i].from;

		if (notices[i].kind != STN_CLAIMED ||
		    stn_members_lost(&node->members, from))
			continue;
		any = true;
		claims->announced |= from == node->rank;
		if (runs_main(steal))
			await_claims(steal, from);
	}
	if (!any)
		none_is_unclaimed(steal);
	stn_claims_changed(steal);
}

void
stn_claims_changed(struct stn_steal *steal)
{
	if (!steal->claims.announced || runs_unclaimed(steal))
		return;
	steal->claims.announced = false;
	if (runs_main(steal))
		has_claimed(steal, steal->node->rank);
	else
		say_claimed(steal, steal->node->members.root);
}

void
stn_claims_take(struct stn_steal *steal, uint32_t from,
		const struct stn_wire_claimed *claimed)
{
	if (claimed->gone != claimed_now(steal).gone)
		return; /* of an older view */
	if (runs_main(steal))
		has_claimed(steal, from);
	else
		claims_spread(steal);
}
