/*
 * lrs.c: Link-aware Random Stealing, Sateen's own balancer. It is Cluster-aware
 * Random Stealing that takes the links between clusters into account. It has no
 * settings: each node measures how long answers take and how fast records
 * arrive.
 *
 * Which clusters to ask: each cluster is asked for the same share of the time,
 * in proportion to its nodes. So a cluster at half the latency is asked twice
 * as often. Two requests may be out, to two clusters, so a cluster that answers
 * late does not keep the node from asking others.
 *
 * Which records to lend to another cluster: not the small ones. The duration of
 * a call is not known in advance. But the oldest record has waited for about as
 * long as its worker has worked on the record's siblings, which take about as
 * long as the record will. A record is done sooner at home, and stays, if that
 * is less than an eighth of the round trip, or less than twice the time that
 * its data need to cross the link.
 *
 * When to ask: a node that has few other nodes in its cluster asks other
 * clusters before it is idle, as it could ask few nodes meanwhile.
 *
 * How many records to lend to the own cluster: thieves whose stolen calls are
 * short get several at once, and do not pause after a few steals in vain.
 *
 * How to wait without work: after some refusals a node sends lifelines to a few
 * nodes of its cluster, and asks no others there. A lifeline is a request that
 * stays parked at the victim until the victim has a record, or until its time
 * is over. So idle nodes send few messages, and a node that gets work wakes
 * those that wait for it. A node with work again cancels its lifelines.
 * tests/steal/lifeline.pml is a model of this.
 *
 * On one cluster, if calls are long, and until a node is refused often, this is
 * Random Stealing.
 * docs/balancing.md says what else was tried, and the results.
 */
#include "steal/balance.h"
#include "transport/transport.h"

#define FAR 2		    /* requests to other clusters at a time */
#define FEW 3		    /* a cluster of at most so many nodes asks ahead */
#define LOW 2		    /* it asks ahead if it has fewer records */
#define TICK_NS 10000000ull /* time between its looks at that */
#define SMALL_BYTES 4096ull /* fewer bytes don't show a link's rate */
#define DRAWS 16	    /* draws of a victim, at most */
#define WORTH 2		    /* a record must take so many times its crossing */
#define SHARE 4		  /* nodes of a cluster for each step of the crossing */
#define BUNDLE 16	  /* further records for a thief of the cluster, */
#define FEW_BYTES 1024	  /* each with at most so many bytes */
#define SHORT_US 10000	  /* if its calls take no longer */
#define TRIES 64	  /* refusals in a row without a pause */
#define FEW_TRIES 8	  /* further refusals until the node sends lifelines */
#define FIXED 2		  /* lifelines to fixed nodes, */
#define LIFELINES 3	  /* all; the last leads to a random node */
#define LEASE_US 4000000u /* time of a lifeline to a fixed node */
#define LEASE_MOST_US 1000000u /* longest */
#define LEASE_LEAST_US 1000u   /* and shortest time of the last */
#define SIZES 48
#define LONG_US 1000000000u /* longest round trip that is stored */

struct lrs {
	uint32_t out;		 /* requests to other clusters that are out, */
	uint32_t asked[FAR];	 /* and these clusters */
	uint32_t least_us;	 /* shortest round trip to any cluster, about */
	uint64_t took_ns[SIZES]; /* duration of records of 2^i bytes and more */
	uint64_t typical_ns;	 /* about the median of all their durations */
	uint32_t misses;	 /* synchronous requests refused in a row, */
	uint64_t missing_ns;	 /* and when the first was refused */
	uint32_t tied[LIFELINES]; /* 1 + the victim of each lifeline, or 0 */
	struct stn_seen links[];  /* to each cluster, as measured */
};

static bool
is_out(const struct lrs *lrs, uint32_t cluster)
{
	for (uint32_t i = 0; i < lrs->out; i++)
		if (lrs->asked[i] == cluster)
			return true;
	return false;
}

static void
is_in(struct lrs *lrs, uint32_t cluster)
{
	for (uint32_t i = 0; i < lrs->out; i++)
		if (lrs->asked[i] == cluster)
			lrs->asked[i] = lrs->asked[--lrs->out];
}

/* A random living node of the other clusters. */
static uint32_t
choose_far(const struct stn_snapshot *snapshot)
{
	uint32_t mine = stn_cluster_of(snapshot->topology, snapshot->rank);
	uint32_t size = stn_cluster_size(snapshot->topology, mine);
	uint32_t choice;

	do {
		choice = stn_random_below(snapshot->random,
					  snapshot->topology->nodes - size);
		choice = stn_cluster_outside(snapshot->topology, mine, choice);
	} while (!stn_members_has(snapshot->members, choice));
	return choice;
}

/*
 * Draws whether to ask @cluster now: a cluster with twice the shortest round
 * trip is asked half as often.
 */
static bool
in_turn(const struct lrs *lrs, const struct stn_snapshot *snapshot,
	uint32_t cluster)
{
	uint32_t us = lrs->links[cluster].round_trip_us;

	return us <= lrs->least_us ||
	       stn_random_below(snapshot->random, us) < lrs->least_us;
}

static void
ask_far(struct lrs *lrs, const struct stn_snapshot *snapshot,
	struct stn_moves *moves)
{
	uint32_t victim, cluster;
	int draws = 0;

	if (lrs->out == FAR || lrs->out + 1 >= snapshot->members->clusters)
		return;
	do {
		victim = choose_far(snapshot);
		cluster = stn_cluster_of(snapshot->topology, victim);
	} while ((is_out(lrs, cluster) || !in_turn(lrs, snapshot, cluster)) &&
		 ++draws < DRAWS);
	/*
	 * If no draw chose a cluster, the last one is asked, unless another
	 * request is out.
	 */
	if (draws == DRAWS && lrs->out)
		return;
	lrs->asked[lrs->out++] = cluster;
	stn_moves_ask(moves, victim, true);
	moves->asks[moves->ask_count - 1].seen = lrs->links[cluster];
}

/* The duration of a typical call that this node has stolen; 0: unknown. */
static uint32_t
call_us(const struct lrs *lrs)
{
	uint64_t us = lrs->typical_ns ? lrs->typical_ns / 1000 + 1 : 0;

	return us < LONG_US ? (uint32_t)us : LONG_US;
}

static bool
is_short(uint32_t us)
{
	return us && us <= SHORT_US;
}

static void
ask_near(const struct lrs *lrs, const struct stn_snapshot *snapshot,
	 uint32_t cluster, struct stn_moves *moves)
{
	stn_moves_ask(moves, stn_choose_member(snapshot, cluster), false);
	moves->asks[moves->ask_count - 1].seen.call_us = call_us(lrs);
}

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
is_tied(const struct lrs *lrs, uint32_t victim)
{
	for (uint32_t i = 0; i < LIFELINES; i++)
		if (lrs->tied[i] == victim + 1)
			return true;
	return false;
}

static void
untie(struct lrs *lrs, uint32_t victim)
{
	for (uint32_t i = 0; i < LIFELINES; i++)
		if (lrs->tied[i] == victim + 1)
			lrs->tied[i] = 0;
}

/* A third of the time for which the node has been without work. */
static uint32_t
lease_us(const struct lrs *lrs, const struct stn_snapshot *snapshot)
{
	uint64_t us = (snapshot->now - lrs->missing_ns) / 3000;

	if (us < LEASE_LEAST_US)
		return LEASE_LEAST_US;
	return us < LEASE_MOST_US ? (uint32_t)us : LEASE_MOST_US;
}

static void
tie(struct lrs *lrs, const struct stn_snapshot *snapshot, uint32_t mine,
    struct stn_moves *moves)
{
	for (uint32_t i = 0; i < LIFELINES; i++) {
		bool fixed = i < FIXED;
		uint32_t victim;

		if (lrs->tied[i])
			continue;
		victim = fixed ? fixed_victim(snapshot, mine, i)
			       : stn_choose_member(snapshot, mine);
		if (is_tied(lrs, victim))
			continue;
		lrs->tied[i] = victim + 1;
		stn_moves_ask(moves, victim, true);
		moves->asks[moves->ask_count - 1].lifeline_us =
			fixed ? LEASE_US : lease_us(lrs, snapshot);
		moves->asks[moves->ask_count - 1].seen.call_us = call_us(lrs);
	}
}

/* Has the node been refused so often that it waits to be given a record? */
static bool
is_patient(const struct lrs *lrs)
{
	return lrs->misses >= (is_short(call_us(lrs)) ? TRIES : 0) + FEW_TRIES;
}

static void
lrs_idle(void *state, const struct stn_snapshot *snapshot,
	 struct stn_moves *moves)
{
	uint32_t mine = stn_cluster_of(snapshot->topology, snapshot->rank);

	ask_far(state, snapshot, moves);
	if (stn_members_in(snapshot->members, mine) == 1)
		return;
	if (is_patient(state))
		tie(state, snapshot, mine, moves);
	else
		ask_near(state, snapshot, mine, moves);
}

/* A shorter round trip counts at once, a longer one by a sixteenth. */
static void
learn_round_trip(struct lrs *lrs, uint32_t cluster, uint32_t us)
{
	uint32_t *link_us = &lrs->links[cluster].round_trip_us;

	if (!*link_us || us < *link_us)
		*link_us = us;
	else
		*link_us += (us - *link_us) / 16;
	/*
	 * The shortest round trip grows slowly, as the nearest cluster may
	 * become slower.
	 */
	lrs->least_us += lrs->least_us / 64 + 1;
	if (lrs->least_us == 1 || *link_us < lrs->least_us)
		lrs->least_us = *link_us;
}

/*
 * The rate that is left for this node's records, as records of other nodes
 * cross at the same time.
 */
static void
learn_rate(struct stn_seen *link, uint32_t us, uint64_t bytes)
{
	uint32_t crossing = us / 32 + 1;
	uint64_t rate;

	if (us > link->round_trip_us + crossing)
		crossing = us - link->round_trip_us;
	rate = bytes * 1000 / crossing + 1;
	if (rate > UINT32_MAX)
		rate = UINT32_MAX;
	link->kb_per_s = link->kb_per_s
				 ? (uint32_t)((link->kb_per_s + rate) / 2)
				 : (uint32_t)rate;
}

static void
learn(struct lrs *lrs, const struct stn_snapshot *snapshot,
      const struct stn_ask *ask)
{
	uint32_t cluster = stn_cluster_of(snapshot->topology, ask->victim);
	uint64_t us = snapshot->answer.took_ns / 1000 + 1;

	if (cluster == stn_cluster_of(snapshot->topology, snapshot->rank))
		return;
	is_in(lrs, cluster);
	if (us > LONG_US)
		us = LONG_US;
	if (snapshot->answer.bytes < SMALL_BYTES)
		learn_round_trip(lrs, cluster, (uint32_t)us);
	else
		learn_rate(&lrs->links[cluster], (uint32_t)us,
			   snapshot->answer.bytes);
}

static bool
lrs_granted(void *state, const struct stn_snapshot *snapshot,
	    const struct stn_ask *ask)
{
	struct lrs *lrs = state;

	learn(lrs, snapshot, ask);
	lrs->misses = 0;
	if (ask->lifeline_us)
		untie(lrs, ask->victim);
	return true;
}

/* A lifeline was refused. If its time was over, the next one follows at once.
 */
static bool
lifeline_refused(struct lrs *lrs, const struct stn_snapshot *snapshot,
		 const struct stn_ask *ask, bool cancelled)
{
	untie(lrs, ask->victim);
	return !cancelled && snapshot->idle &&
	       snapshot->answer.took_ns / 1000 >= ask->lifeline_us;
}

static bool
lrs_refused(void *state, const struct stn_snapshot *snapshot,
	    const struct stn_ask *ask, bool cancelled)
{
	struct lrs *lrs = state;

	if (ask->lifeline_us)
		return lifeline_refused(lrs, snapshot, ask, cancelled);
	learn(lrs, snapshot, ask);
	if (!ask->asynchronous && !lrs->misses++)
		lrs->missing_ns = snapshot->now;
	return false;
}

/* The node has work again. */
static void
lrs_withdrawn(void *state, const struct stn_snapshot *snapshot,
	      struct stn_moves *moves)
{
	struct lrs *lrs = state;

	if (snapshot->idle)
		return;
	lrs->misses = 0;
	moves->cancel_lifelines = true;
}

static unsigned
size_of(uint64_t bytes)
{
	unsigned size = 63 - (unsigned)__builtin_clzll(bytes | 1);

	return size < SIZES ? size : SIZES - 1;
}

/* Half of the calls are longer, so half of the steps go up. */
static void
learn_typical(struct lrs *lrs, uint64_t took_ns)
{
	if (!lrs->typical_ns)
		lrs->typical_ns = took_ns + 1;
	else if (took_ns > lrs->typical_ns)
		lrs->typical_ns += lrs->typical_ns / 4 + 1;
	else
		lrs->typical_ns -= lrs->typical_ns / 5;
}

static void
lrs_ran(void *state, uint64_t bytes, uint64_t took_ns)
{
	struct lrs *lrs = state;
	uint64_t *took = &lrs->took_ns[size_of(bytes)];

	*took = *took ? (*took + took_ns) / 2 : took_ns;
	learn_typical(lrs, took_ns);
}

/*
 * Estimates how long a record will take: as long as records of the same size
 * that this node has run; else, in proportion to the size, as the next smaller
 * ones; else as long as the record has waited.
 */
static uint64_t
will_take(const struct lrs *lrs, const struct stn_loan *loan)
{
	unsigned size = size_of(loan->bytes);

	for (unsigned smaller = 0; smaller <= size; smaller++) {
		uint64_t took_ns = lrs->took_ns[size - smaller];

		if (took_ns > UINT64_MAX >> smaller)
			return UINT64_MAX;
		if (took_ns)
			return took_ns << smaller;
	}
	return loan->age_ns;
}

/*
 * Decides whether the record is done sooner at the thief. The thief has
 * measured the rate of the link; but other thieves use the link at the same
 * time, and neither node knows of them. So that they don't all queue for the
 * link, the first nodes of a cluster get records that just pay off, and the
 * last nodes only records that cross in almost no time.
 */
static enum stn_verdict
lrs_lends(void *state, const struct stn_snapshot *snapshot,
	  const struct stn_parked *thief, const struct stn_loan *loan)
{
	uint32_t place = stn_cluster_number(snapshot->topology, thief->from);
	uint64_t soon = thief->seen.round_trip_us / 8, crossing;

	if (loan->age_ns / 1000 < soon)
		return STN_KEEP;
	if (loan->bytes < SMALL_BYTES)
		return STN_LEND;
	if (!thief->seen.round_trip_us)
		return STN_KEEP; /* the refusal shows the round trip */
	if (!thief->seen.kb_per_s)
		return STN_PROBE;
	crossing = WORTH * loan->bytes * 1000 / thief->seen.kb_per_s *
		   (1 + place / SHARE);
	return crossing <= soon || crossing <= will_take(state, loan) / 1000
		       ? STN_LEND
		       : STN_KEEP;
}

/*
 * A thief of the same cluster gets several records at once if the calls that it
 * stole were short, and the records have few bytes. Several long ones would
 * wait in its inbox, or be run inside a sync that waits for a shorter one.
 */
static bool
lrs_bundles(const struct stn_parked *thief, const struct stn_loan *loan)
{
	return loan->bytes <= FEW_BYTES && is_short(thief->seen.call_us);
}

static uint32_t
lrs_tries(const void *state)
{
	return is_short(call_us(state)) ? TRIES : 0;
}

static uint64_t
lrs_tick(void *state, const struct stn_snapshot *snapshot,
	 struct stn_moves *moves)
{
	uint32_t mine = stn_cluster_of(snapshot->topology, snapshot->rank);

	if (snapshot->topology->clusters == 1 ||
	    stn_cluster_size(snapshot->topology, mine) > FEW)
		return STN_FOREVER;
	if (snapshot->load < LOW)
		ask_far(state, snapshot, moves);
	return snapshot->now + TICK_NS;
}

const struct stn_balancer stn_balancer_lrs = {
	.name = "lrs",
	.help = "link-aware random stealing: as crs, but a record that is done "
		"sooner at home stays",
	.state_bytes = sizeof(struct lrs),
	.cluster_bytes = sizeof(struct stn_seen),
	.bundle = BUNDLE,
	.tries = lrs_tries,
	.idle = lrs_idle,
	.granted = lrs_granted,
	.refused = lrs_refused,
	.lends = lrs_lends,
	.bundles = lrs_bundles,
	.withdrawn = lrs_withdrawn,
	.ran = lrs_ran,
	.tick = lrs_tick,
};
