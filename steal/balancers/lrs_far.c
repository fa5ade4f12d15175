/*
 * lrs_far.c: how LRS steals from other clusters.
 *
 * Which clusters to ask: how often a cluster is asked is proportional to its
 * number of nodes, and inversely proportional to the round trip to it. Two
 * requests may be out, to two clusters, so a cluster that answers late does not
 * keep the node from asking others.
 *
 * Which records to lend to another cluster: not the small ones. The duration of
 * a call is not known in advance. But the oldest record has waited for about as
 * long as its worker has worked on the record's siblings, which take about as
 * long as the record will. A record is done sooner at home, and stays, if that
 * is less than an eighth of the round trip, or less than twice the time that
 * its data need to cross the link.
 */
#include "steal/balancers/lrs_far.h"

#include "steal/balancers/lrs_calls.h"
#include "transport/transport.h"

#define SMALL_BYTES 4096ull /* fewer bytes don't show a link's rate */
#define DRAWS 16	    /* draws of a cluster, at most */
#define WORTH 2		    /* a record must take so many times its crossing */
#define SHARE 4 /* nodes of a cluster for each step of the crossing */

static bool
is_out(const struct stn_lrs *lrs, uint32_t cluster)
{
	for (uint32_t i = 0; i < lrs->out; i++)
		if (lrs->asked[i] == cluster)
			return true;
	return false;
}

static void
is_in(struct stn_lrs *lrs, uint32_t cluster)
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

	for (int i = 0; i < STN_DRAWS; i++) {
		uint32_t choice = stn_random_below(
			snapshot->random, snapshot->topology->nodes - size);

		choice = stn_cluster_outside(snapshot->topology, mine, choice);
		if (stn_members_has(snapshot->members, choice))
			return choice;
	}
	return stn_choose_living(snapshot, mine);
}

/*
 * Draws whether to ask @cluster now: a cluster with twice the shortest round
 * trip is asked half as often.
 */
static bool
in_turn(const struct stn_lrs *lrs, const struct stn_snapshot *snapshot,
	uint32_t cluster)
{
	uint32_t us = lrs->links[cluster].round_trip_us;

	return us <= lrs->least_us ||
	       stn_random_below(snapshot->random, us) < lrs->least_us;
}

void
stn_lrs_ask_far(struct stn_lrs *lrs, const struct stn_snapshot *snapshot,
		struct stn_moves *moves)
{
	uint32_t victim, cluster;
	int draws = 0;

	if (lrs->out == STN_LRS_FAR ||
	    lrs->out + 1 >= snapshot->members->clusters)
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

/* A shorter round trip counts at once, a longer one by a sixteenth. */
static void
learn_round_trip(struct stn_lrs *lrs, uint32_t cluster, uint32_t us)
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

void
stn_lrs_learn_link(struct stn_lrs *lrs, const struct stn_snapshot *snapshot,
		   const struct stn_ask *ask)
{
	uint32_t cluster = stn_cluster_of(snapshot->topology, ask->victim);
	uint64_t us = snapshot->answer.took_ns / 1000 + 1;

	if (cluster == stn_cluster_of(snapshot->topology, snapshot->rank))
		return;
	is_in(lrs, cluster);
	if (us > STN_LRS_LONG_US)
		us = STN_LRS_LONG_US;
	if (snapshot->answer.bytes < SMALL_BYTES)
		learn_round_trip(lrs, cluster, (uint32_t)us);
	else
		learn_rate(&lrs->links[cluster], (uint32_t)us,
			   snapshot->answer.bytes);
}

/*
 * Decides whether the record is done sooner at the thief. The thief has
 * measured the rate of the link; but other thieves use the link at the same
 * time, and neither node knows of them. So that they don't all queue for the
 * link, the first nodes of a cluster get records that just pay off, and the
 * last nodes only records that cross in almost no time.
 */
enum stn_verdict
stn_lrs_lends(void *state, const struct stn_snapshot *snapshot,
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
	return crossing <= soon ||
			       crossing <= stn_lrs_will_take(state, loan) / 1000
		       ? STN_LEND
		       : STN_KEEP;
}
