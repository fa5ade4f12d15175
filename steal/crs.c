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

/* A random member of @cluster other than this node. */
static uint32_t
choose_in(const struct stn_view *view, uint32_t cluster)
{
	uint32_t first = stn_cluster_first(view->topology, cluster);
	uint32_t size = stn_cluster_size(view->topology, cluster);
	bool mine = view->rank >= first && view->rank < first + size;
	uint32_t victim;

	victim = first + stn_random_below(view->random, size - mine);
	return victim + (mine && victim >= view->rank);
}

static unsigned
crs_idle(void *state, const struct stn_view *view, uint64_t now,
	 struct stn_ask asks[STN_ASKS])
{
	struct crs *crs = state;
	uint32_t mine = stn_cluster_of(view->topology, view->rank);
	uint32_t others = view->topology->clusters - 1;
	unsigned count = 0;

	(void)now;
	if (others && !crs->wide_area) {
		uint32_t cluster = stn_random_below(view->random, others);

		cluster += cluster >= mine;
		asks[count].victim = choose_in(view, cluster);
		asks[count++].asynchronous = true;
		crs->wide_area = true;
	}
	if (stn_cluster_size(view->topology, mine) > 1) {
		asks[count].victim = choose_in(view, mine);
		asks[count++].asynchronous = false;
	}
	return count;
}

static void
crs_answered(void *state, const struct stn_ask *ask, uint64_t now)
{
	struct crs *crs = state;

	(void)now;
	if (ask->asynchronous)
		crs->wide_area = false;
}

const struct stn_balancer stn_balancer_crs = {
	.name = "crs",
	.help = "cluster-aware random stealing: ask one remote cluster, "
		"meanwhile steal at home",
	.state_bytes = sizeof(struct crs),
	.idle = crs_idle,
	.granted = crs_answered,
	.refused = crs_answered,
};
