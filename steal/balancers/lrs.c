/*
 * lrs.c: Link-aware Random Stealing, Sateen's own balancer. It is Cluster-aware
 * Random Stealing that takes the links between clusters into account. It has no
 * settings: each node measures how long answers take and how fast records
 * arrive. lrs_far.c steals from other clusters, lrs_lifelines.c waits without
 * work, and lrs_calls.c knows how long calls take.
 *
 * When to ask: a node that has few other nodes in its cluster asks other
 * clusters before it is idle, as it could ask few nodes meanwhile.
 *
 * How many nodes of the own cluster to ask: one, or up to three at a time if
 * the stolen calls are short. In a deep tree most nodes that can be asked have
 * no records, or only leaves; so a thief that asks one after the other waits
 * for several round trips until it has work.
 *
 * How many records to lend to the own cluster: thieves whose stolen calls are
 * short get several at once, and do not pause after steals in vain.
 *
 * On one cluster, if calls are long, and until a node is refused often, this is
 * Random Stealing.
 * docs/balancing.md says what else was tried, and the results.
 */
#include "steal/balancers/lrs_calls.h"
#include "steal/balancers/lrs_far.h"
#include "steal/balancers/lrs_lifelines.h"
#include "transport/transport.h"

#define TRIES_ALONE 64	    /* steals in vain of a node alone, then pauses */
#define FEW 3		    /* a cluster of at most so many nodes asks ahead */
#define LOW 2		    /* it asks ahead if it has fewer records */
#define TICK_NS 10000000ull /* time between its looks at that */
#define BUNDLE 16	    /* further records for a thief of the cluster, */
#define FEW_BYTES 1024	    /* each with at most so many bytes */

static void
ask_member(const struct stn_lrs *lrs, const struct stn_snapshot *snapshot,
	   uint32_t cluster, bool further, struct stn_moves *moves)
{
	stn_moves_ask(moves, stn_choose_member(snapshot, cluster), further);
	moves->asks[moves->ask_count - 1].seen.call_us = stn_lrs_call_us(lrs);
}

static void
ask_near(struct stn_lrs *lrs, const struct stn_snapshot *snapshot,
	 uint32_t cluster, struct stn_moves *moves)
{
	ask_member(lrs, snapshot, cluster, false, moves);
	if (!stn_lrs_is_short(stn_lrs_call_us(lrs)) ||
	    stn_members_in(snapshot->members, cluster) <= 1 + STN_LRS_NEAR)
		return;
	for (; lrs->near_out < STN_LRS_NEAR; lrs->near_out++)
		ask_member(lrs, snapshot, cluster, true, moves);
}

/* The request to a node of the own cluster, not a lifeline, has an answer. */
static void
near_answered(struct stn_lrs *lrs, const struct stn_snapshot *snapshot,
	      const struct stn_ask *ask)
{
	if (ask->asynchronous &&
	    stn_cluster_of(snapshot->topology, ask->victim) ==
		    stn_cluster_of(snapshot->topology, snapshot->rank))
		lrs->near_out--;
}

static void
lrs_idle(void *state, const struct stn_snapshot *snapshot,
	 struct stn_moves *moves)
{
	uint32_t mine = stn_cluster_of(snapshot->topology, snapshot->rank);
	struct stn_lrs *lrs = state;

	stn_lrs_ask_far(state, snapshot, moves);
	lrs->alone = stn_members_in(snapshot->members, mine) == 1;
	if (lrs->alone)
		return;
	if (stn_lrs_is_patient(state))
		stn_lrs_tie(state, snapshot, mine, moves);
	else
		ask_near(state, snapshot, mine, moves);
}

static bool
lrs_granted(void *state, const struct stn_snapshot *snapshot,
	    const struct stn_ask *ask)
{
	struct stn_lrs *lrs = state;

	stn_lrs_learn_link(lrs, snapshot, ask);
	lrs->misses = 0;
	if (ask->lifeline_us)
		stn_lrs_untie(lrs, ask->victim);
	else
		near_answered(lrs, snapshot, ask);
	return true;
}

/* If the time of the lifeline was over, the next one follows at once. */
static bool
lifeline_refused(struct stn_lrs *lrs, const struct stn_snapshot *snapshot,
		 const struct stn_ask *ask, bool cancelled)
{
	stn_lrs_untie(lrs, ask->victim);
	return !cancelled && snapshot->idle &&
	       snapshot->answer.took_ns / 1000 >= ask->lifeline_us;
}

static bool
lrs_refused(void *state, const struct stn_snapshot *snapshot,
	    const struct stn_ask *ask, bool cancelled)
{
	struct stn_lrs *lrs = state;

	if (ask->lifeline_us)
		return lifeline_refused(lrs, snapshot, ask, cancelled);
	stn_lrs_learn_link(lrs, snapshot, ask);
	near_answered(lrs, snapshot, ask);
	if (!ask->asynchronous && !lrs->misses++)
		lrs->missing_ns = snapshot->now;
	return false;
}

/* The node has work again. */
static void
lrs_withdrawn(void *state, const struct stn_snapshot *snapshot,
	      struct stn_moves *moves)
{
	struct stn_lrs *lrs = state;

	if (snapshot->idle)
		return;
	lrs->misses = 0;
	moves->cancel_lifelines = true;
}

/*
 * A thief of the same cluster gets several records at once if the calls that it
 * stole were short, and the records have few bytes. Several long ones would
 * wait in its inbox, or be run inside a sync that waits for a shorter one.
 */
static bool
lrs_bundles(const struct stn_parked *thief, const struct stn_loan *loan)
{
	return loan->bytes <= FEW_BYTES &&
	       stn_lrs_is_short(thief->seen.call_us);
}

/*
 * Lifelines limit the requests of a thief of short calls that is refused again
 * and again, so it needs no pauses. Nor does it need them while it gets leaves
 * of a deep tree: the next record may be a large subtree. A node that is alone
 * in its cluster has no lifelines.
 */
static uint32_t
lrs_tries(const void *state)
{
	const struct stn_lrs *lrs = state;

	if (!stn_lrs_is_short(stn_lrs_call_us(lrs)))
		return 0;
	return lrs->alone ? TRIES_ALONE : UINT32_MAX;
}

/*
 * A cluster with reserved ranks has few nodes until others join, so each tick
 * looks anew.
 */
static uint64_t
lrs_tick(void *state, const struct stn_snapshot *snapshot,
	 struct stn_moves *moves)
{
	const struct stn_topology *topology = snapshot->topology;
	uint32_t mine = stn_cluster_of(topology, snapshot->rank);
	bool few = stn_cluster_size(topology, mine) <= FEW;

	if (topology->clusters == 1 || (!few && !topology->reserved))
		return STN_FOREVER;
	if (!few)
		few = stn_members_in(snapshot->members, mine) <= FEW;
	if (few && snapshot->load < LOW)
		stn_lrs_ask_far(state, snapshot, moves);
	return snapshot->now + TICK_NS;
}

const struct stn_balancer stn_balancer_lrs = {
	.name = "lrs",
	.help = "link-aware random stealing: as crs, but a record that is done "
		"sooner at home stays",
	.requests = STN_REQUESTS_MOST,
	.state_bytes = sizeof(struct stn_lrs),
	.cluster_bytes = sizeof(struct stn_seen),
	.bundle = BUNDLE,
	.tries = lrs_tries,
	.idle = lrs_idle,
	.granted = lrs_granted,
	.refused = lrs_refused,
	.lends = stn_lrs_lends,
	.bundles = lrs_bundles,
	.withdrawn = lrs_withdrawn,
	.ran = stn_lrs_ran,
	.tick = lrs_tick,
};
