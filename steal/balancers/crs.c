/*
 * crs.c: Cluster-aware Random Stealing (PPoPP 2001, section 3.5). An idle node
 * asks one node of another cluster, asynchronously, unless it has such a
 * request out; meanwhile it steals at random inside its own cluster. A request
 * to another cluster is not cancelled when the node finds work at home. On one
 * cluster this is Random Stealing.
 *
 * The remote victim is a random node of a random other cluster.
 */
#include "steal/balance.h"

struct crs {
	bool wide_area; /* a request to another cluster is out */
};

static void
crs_idle(void *state, const struct stn_snapshot *snapshot,
	 struct stn_moves *moves)
{
	uint32_t mine = stn_cluster_of(snapshot->topology, snapshot->rank);
	struct crs *crs = state;

	if (snapshot->members->clusters > 1 && !crs->wide_area) {
		stn_moves_ask(moves, stn_choose_remote(snapshot), true);
		crs->wide_area = true;
	}
	if (stn_members_in(snapshot->members, mine) > 1)
		stn_moves_ask(moves, stn_choose_member(snapshot, mine), false);
}

static bool
crs_granted(void *state, const struct stn_snapshot *snapshot,
	    const struct stn_ask *ask)
{
	struct crs *crs = state;

	(void)snapshot;
	if (ask->asynchronous)
		crs->wide_area = false;
	return true;
}

static bool
crs_refused(void *state, const struct stn_snapshot *snapshot,
	    const struct stn_ask *ask, bool cancelled)
{
	(void)cancelled;
	crs_granted(state, snapshot, ask);
	return false;
}

const struct stn_balancer stn_balancer_crs = {
	.name = "crs",
	.help = "cluster-aware random stealing: ask one remote cluster, "
		"meanwhile steal at home",
	.requests = 2,
	.state_bytes = sizeof(struct crs),
	.idle = crs_idle,
	.granted = crs_granted,
	.refused = crs_refused,
};
