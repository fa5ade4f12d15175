/*
 * Link-aware Random Stealing: ours. It is Cluster-aware Random Stealing, and
 * looks at what the links between clusters are like. Nothing is to be tuned:
 * each node measures what answers take, and how fast records come.
 *
 * Whom to ask far away: each cluster for the same share of the time, in
 * proportion to its nodes. So one with half the latency is asked twice as
 * often, and one that answers late doesn't keep a node from the others: two
 * requests may be out, to two clusters.
 *
 * What to lend far away: not what is small. How long a call will take, nobody
 * knows; but the oldest record has waited for about as long as its worker has
 * been at work on its siblings, which take as long as it will. Where that is
 * less than an eighth of the round trip, or less than twice what its data take
 * to cross, it is done sooner at home.
 *
 * When to ask: a node that is alone in its cluster, or almost, has nobody to
 * ask meanwhile. It asks before it is idle.
 *
 * On one cluster this is Random Stealing. docs/balancing.md says what was tried
 * and what it gave.
 */
#include "steal/balance.h"
#include "transport/transport.h"

#define FAR 2		    /* requests to other clusters at once */
#define FEW 3		    /* nodes of a cluster: too few for each other */
#define LOW 2		    /* records: fewer, and such a node asks ahead */
#define TICK_NS 10000000ull /* when it looks for that */
#define SMALL_BYTES 4096ull /* too few to show a link's rate */
#define DRAWS 16	    /* draws, until a cluster has its turn */
#define WORTH 2		    /* times that a record crosses: less work isn't */
#define SHARE 4		    /* nodes of a cluster that one loan is for */
#define SIZES 48
#define LONG_US 1000000000u /* a round trip: no longer one is told */

struct lrs {
	uint32_t out;		 /* requests to other clusters; */
	uint32_t asked[FAR];	 /*   those */
	uint32_t least_us;	 /* the shortest round trip of any, about */
	uint64_t took_ns[SIZES]; /* by records of 2^i bytes, and more */
	struct stn_seen links[]; /* to each cluster, as answers show it */
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

/* A random node of the other clusters. */
static uint32_t
choose_far(const struct stn_view *view)
{
	uint32_t mine = stn_cluster_of(view->topology, view->rank);
	uint32_t first = stn_cluster_first(view->topology, mine);
	uint32_t size = stn_cluster_size(view->topology, mine);
	uint32_t choice =
		stn_random_below(view->random, view->topology->nodes - size);

	return choice + (choice >= first ? size : 0);
}

/* Is it this one's turn? The sooner it answers, the more often. */
static bool
in_turn(const struct lrs *lrs, const struct stn_view *view, uint32_t cluster)
{
	uint32_t us = lrs->links[cluster].round_trip_us;

	return us <= lrs->least_us ||
	       stn_random_below(view->random, us) < lrs->least_us;
}

static void
ask_far(struct lrs *lrs, const struct stn_view *view, struct stn_moves *moves)
{
	uint32_t victim, cluster;
	int draws = 0;

	if (lrs->out == FAR || lrs->out + 1 == view->topology->clusters)
		return;
	do {
		victim = choose_far(view);
		cluster = stn_cluster_of(view->topology, victim);
	} while ((is_out(lrs, cluster) || !in_turn(lrs, view, cluster)) &&
		 ++draws < DRAWS);
	/* Nobody's turn it may be, but somebody is asked. */
	if (draws == DRAWS && lrs->out)
		return;
	lrs->asked[lrs->out++] = cluster;
	stn_moves_ask(moves, victim, true);
	moves->asks[moves->ask_count - 1].seen = lrs->links[cluster];
}

static void
lrs_idle(void *state, const struct stn_view *view, struct stn_moves *moves)
{
	uint32_t mine = stn_cluster_of(view->topology, view->rank);

	ask_far(state, view, moves);
	if (stn_cluster_size(view->topology, mine) > 1)
		stn_moves_ask(moves, stn_choose_member(view, mine), false);
}

/* Of round trips the shortest counts, and longer ones by and by. */
static void
learn_round_trip(struct lrs *lrs, uint32_t cluster, uint32_t us)
{
	uint32_t *link_us = &lrs->links[cluster].round_trip_us;

	if (!*link_us || us < *link_us)
		*link_us = us;
	else
		*link_us += (us - *link_us) / 16;
	/* The nearest may become slower, too. */
	lrs->least_us += lrs->least_us / 64 + 1;
	if (lrs->least_us == 1 || *link_us < lrs->least_us)
		lrs->least_us = *link_us;
}

/* Others' records cross at the same time: what is left for ours counts. */
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
learn(struct lrs *lrs, const struct stn_view *view, const struct stn_ask *ask)
{
	uint32_t cluster = stn_cluster_of(view->topology, ask->victim);
	uint64_t us = view->answer.took_ns / 1000 + 1;

	if (!ask->asynchronous)
		return;
	is_in(lrs, cluster);
	if (us > LONG_US)
		us = LONG_US;
	if (view->answer.bytes < SMALL_BYTES)
		learn_round_trip(lrs, cluster, (uint32_t)us);
	else
		learn_rate(&lrs->links[cluster], (uint32_t)us,
			   view->answer.bytes);
}

static bool
lrs_granted(void *state, const struct stn_view *view, const struct stn_ask *ask)
{
	learn(state, view, ask);
	return true;
}

static bool
lrs_refused(void *state, const struct stn_view *view, const struct stn_ask *ask,
	    bool cancelled)
{
	(void)cancelled;
	learn(state, view, ask);
	return false;
}

static unsigned
size_of(uint64_t bytes)
{
	unsigned size = 63 - (unsigned)__builtin_clzll(bytes | 1);

	return size < SIZES ? size : SIZES - 1;
}

static void
lrs_ran(void *state, uint64_t bytes, uint64_t took_ns)
{
	struct lrs *lrs = state;
	uint64_t *took = &lrs->took_ns[size_of(bytes)];

	*took = *took ? (*took + took_ns) / 2 : took_ns;
}

/*
 * How long a record will take: as long as others of its size; in proportion, as
 * the next smaller ones that were run; or as long as it has waited.
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

/* Which node of its cluster it is, from 0. */
static uint32_t
place_of(const struct stn_topology *topology, uint32_t rank)
{
	return rank -
	       stn_cluster_first(topology, stn_cluster_of(topology, rank));
}

/*
 * Is it done sooner there than here? How fast its data cross, the thief has
 * seen; but others ask at the same time, of whom neither knows. So that they
 * don't all queue on the link, the first nodes of a cluster get what just pays,
 * and the last ones only what crosses in no time.
 */
static enum stn_verdict
lrs_lends(void *state, const struct stn_view *view,
	  const struct stn_held *thief, const struct stn_loan *loan)
{
	uint64_t soon = thief->seen.round_trip_us / 8, crossing;

	if (loan->age_ns / 1000 < soon)
		return STN_KEEP;
	if (loan->bytes < SMALL_BYTES)
		return STN_LEND;
	if (!thief->seen.round_trip_us)
		return STN_KEEP; /* the refusal will show it */
	if (!thief->seen.kb_per_s)
		return STN_GAUGE;
	crossing = WORTH * loan->bytes * 1000 / thief->seen.kb_per_s *
		   (1 + place_of(view->topology, thief->from) / SHARE);
	return crossing <= soon || crossing <= will_take(state, loan) / 1000
		       ? STN_LEND
		       : STN_KEEP;
}

static uint64_t
lrs_tick(void *state, const struct stn_view *view, struct stn_moves *moves)
{
	uint32_t mine = stn_cluster_of(view->topology, view->rank);

	if (view->topology->clusters == 1 ||
	    stn_cluster_size(view->topology, mine) > FEW)
		return STN_FOREVER;
	if (view->load < LOW)
		ask_far(state, view, moves);
	return view->now + TICK_NS;
}

const struct stn_balancer stn_balancer_lrs = {
	.name = "lrs",
	.help = "link-aware random stealing: as crs, but what is done sooner "
		"at "
		"home stays",
	.state_bytes = sizeof(struct lrs),
	.cluster_bytes = sizeof(struct stn_seen),
	.idle = lrs_idle,
	.granted = lrs_granted,
	.refused = lrs_refused,
	.lends = lrs_lends,
	.ran = lrs_ran,
	.tick = lrs_tick,
};
