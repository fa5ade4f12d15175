/*
 * Cluster-aware Random Stealing (PPoPP 2001, section 3.5): an idle node asks
 * one node of another cluster, asynchronously, unless such a request is out
 * already; and meanwhile steals at random inside its own cluster. A request
 * once sent is not cancelled when work turns up at home. On one cluster this
 * is Random Stealing.
 *
 * The remote victim is a random node of a random other cluster.
 */
#include "steal/balance.h"

struct crs {
	bool wide_area; /* a request to another cluster is out */
};

static void
crs_idle(void *state, const struct stn_view *view, struct stn_moves *moves)
{
	uint32_t mine = stn_cluster_of(view->topology, view->rank);
	struct crs *crs = state;

	if (view->topology->clusters > 1 && !crs->wide_area) {
		stn_moves_ask(moves, stn_choose_remote(view), true);
		crs->wide_area = true;
	}
	if (stn_cluster_size(view->topology, mine) > 1)
		stn_moves_ask(moves, stn_choose_member(view, mine), false);
}

static bool
crs_granted(void *state, const struct stn_view *view, const struct stn_ask *ask)
{
	struct crs *crs = state;

	(void)view;
	if (ask->asynchronous)
		crs->wide_area = false;
	return true;
}

static bool
crs_refused(void *state, const struct stn_view *view, const struct stn_ask *ask,
	    bool cancelled)
{
	(void)cancelled;
	crs_granted(state, view, ask);
	return false;
}

const struct stn_balancer stn_balancer_crs = {
	.name = "crs",
	.help = "cluster-aware random stealing: ask one remote cluster, "
		"meanwhile steal at home",
	.state_bytes = sizeof(struct crs),
	.idle = crs_idle,
	.granted = crs_granted,
	.refused = crs_refused,
};
