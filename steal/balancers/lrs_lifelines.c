/*
 * lrs_lifelines.c: how a node of LRS waits without work. After some refusals it
 * sends lifelines to a few nodes of its cluster, and asks no others there. A
 * lifeline is a request that stays parked at the victim until the victim has a
 * record, or until its time is over. So idle nodes send few messages, and a
 * node that gets work wakes those that wait for it. A node with work again
 * cancels its lifelines. tests/steal/lifeline.pml is a model of this.
 */
#include "steal/balancers/lrs_lifelines.h"

#include "steal/balancers/lrs_calls.h"

#define FEW_TRIES 8	  /* refusals until the node sends lifelines */
#define MANY_TRIES 72	  /* the same, if its stolen calls are short */
#define FIXED 2		  /* lifelines to fixed nodes; the last is random */
#define LEASE_US 4000000u /* time of a lifeline to a fixed node */
#define LEASE_MOST_US 1000000u /* longest */
#define LEASE_LEAST_US 1000u   /* and shortest time of the last */

/*
 * The lifelines to fixed nodes lead from living node i of n to the nodes
 * 2 i and 2 i + 1, modulo n: a generalised de Bruijn graph. It leads from each
 * node to each other one in at most log n steps, and to each node lead as many
 * lifelines as to any other.
 */
static uint32_t
fixed_victim(const struct stn_snapshot *snapshot, uint32_t mine, uint32_t i)
{
	uint32_t count = stn_members_in(snapshot->members, mine);
	uint32_t number = stn_members_number(snapshot->members, snapshot->rank);
	uint32_t victim = (uint32_t)(((uint64_t)number * FIXED + i) % count);

	if (victim == number)
		victim = (number + 1) % count;
	return stn_members_at(snapshot->members, mine, victim);
}

static bool
is_tied(const struct stn_lrs *lrs, uint32_t victim)
{
	for (uint32_t i = 0; i < STN_LRS_LIFELINES; i++)
		if (lrs->tied[i] == victim + 1)
			return true;
	return false;
}

void
stn_lrs_untie(struct stn_lrs *lrs, uint32_t victim)
{
	for (uint32_t i = 0; i < STN_LRS_LIFELINES; i++)
		if (lrs->tied[i] == victim + 1)
			lrs->tied[i] = 0;
}

/* A third of the time for which the node has been without work. */
static uint32_t
lease_us(const struct stn_lrs *lrs, const struct stn_snapshot *snapshot)
{
	uint64_t us = (snapshot->now - lrs->missing_ns) / 3000;

	if (us < LEASE_LEAST_US)
		return LEASE_LEAST_US;
	return us < LEASE_MOST_US ? (uint32_t)us : LEASE_MOST_US;
}

void
stn_lrs_tie(struct stn_lrs *lrs, const struct stn_snapshot *snapshot,
	    uint32_t mine, struct stn_moves *moves)
{
	for (uint32_t i = 0; i < STN_LRS_LIFELINES; i++) {
		bool fixed = i < FIXED;
		uint32_t victim;

		if (lrs->tied[i])
			continue;
		victim = fixed_victim(snapshot, mine, i);
		/* A node that is to leave refuses at once. */
		if (!fixed || !stn_members_stays(snapshot->members, victim))
			victim = stn_choose_member(snapshot, mine);
		if (is_tied(lrs, victim))
			continue;
		lrs->tied[i] = victim + 1;
		stn_moves_ask(moves, victim, true);
		moves->asks[moves->ask_count - 1].lifeline_us =
			fixed ? LEASE_US : lease_us(lrs, snapshot);
		moves->asks[moves->ask_count - 1].seen.call_us =
			stn_lrs_call_us(lrs);
	}
}

/* Has the node been refused so often that it waits to be given a record? */
bool
stn_lrs_is_patient(const struct stn_lrs *lrs)
{
	return lrs->misses >= (stn_lrs_is_short(stn_lrs_call_us(lrs))
				       ? MANY_TRIES
				       : FEW_TRIES);
}
