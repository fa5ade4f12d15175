/*
 * Cluster-aware Load-based Stealing (PPoPP 2001, section 3.4): inside a
 * cluster, Random Stealing. One node of each cluster is its coordinator: every
 * 10 ms the others tell it their load, the number of records in their queue, if
 * it has changed, and at once when they have become idle. When the load of the
 * whole cluster is below a threshold, the coordinator asks a random node of a
 * random other cluster, asynchronously; what it is granted waits on the
 * coordinator to be stolen. On one cluster this is Random Stealing.
 *
 * The coordinator has one such request out at a time. After a refusal it
 * decides anew when it next learns something, or looks at its own load. The
 * threshold was tuned by hand, for each application, to between 1 and 64; the
 * setting cls-threshold is for that.
 */
#include "steal/balance.h"
#include "steal/config.h"
#include "transport/transport.h"

struct cls {
	bool wide_area;	  /* a request to another cluster is out */
	uint32_t told;	  /* the load that was told last */
	uint32_t loads[]; /* on the coordinator: of the cluster's nodes */
};

static uint32_t
coordinator(const struct stn_view *view)
{
	uint32_t mine = stn_cluster_of(view->topology, view->rank);

	return stn_cluster_first(view->topology, mine);
}

static uint64_t
cluster_load(const struct cls *cls, const struct stn_view *view)
{
	uint32_t mine = stn_cluster_of(view->topology, view->rank);
	uint32_t size = stn_cluster_size(view->topology, mine);
	uint64_t load = 0;

	for (uint32_t i = 0; i < size; i++)
		load += cls->loads[i];
	return load;
}

/* The coordinator's part: asks far away when its cluster has too little. */
static void
prefetch(struct cls *cls, const struct stn_view *view, struct stn_moves *moves)
{
	if (cls->wide_area ||
	    cluster_load(cls, view) >= view->config->cls_threshold)
		return;
	stn_moves_ask(moves, stn_choose_remote(view), true);
	cls->wide_area = true;
}

/* The node's load is @load: who must know? */
static void
report(struct cls *cls, const struct stn_view *view, uint32_t load,
       struct stn_moves *moves)
{
	if (coordinator(view) == view->rank) {
		cls->loads[0] = load;
		prefetch(cls, view, moves);
	} else if (load != cls->told) {
		cls->told = load;
		moves->tell = coordinator(view);
	}
}

static void
cls_idle(void *state, const struct stn_view *view, struct stn_moves *moves)
{
	uint32_t mine = stn_cluster_of(view->topology, view->rank);

	if (view->topology->clusters > 1)
		report(state, view, view->load, moves);
	if (stn_cluster_size(view->topology, mine) > 1)
		stn_moves_ask(moves, stn_choose_member(view, mine), false);
}

static bool
cls_granted(void *state, const struct stn_view *view, const struct stn_ask *ask)
{
	struct cls *cls = state;

	(void)view;
	if (ask->asynchronous)
		cls->wide_area = false;
	return true;
}

static bool
cls_refused(void *state, const struct stn_view *view, const struct stn_ask *ask,
	    bool cancelled)
{
	(void)cancelled;
	cls_granted(state, view, ask);
	return false;
}

static bool
cls_told(void *state, const struct stn_view *view, uint32_t from, uint32_t load,
	 struct stn_moves *moves)
{
	struct cls *cls = state;

	if (coordinator(view) != view->rank || from == view->rank)
		return false;
	cls->loads[from - view->rank] = load;
	prefetch(cls, view, moves);
	return true;
}

static uint64_t
cls_tick(void *state, const struct stn_view *view, struct stn_moves *moves)
{
	if (view->topology->clusters == 1)
		return STN_FOREVER;
	report(state, view, view->load, moves);
	return view->now + view->config->cls_interval_ns;
}

const struct stn_balancer stn_balancer_cls = {
	.name = "cls",
	.help = "cluster-aware load-based stealing: coordinators fetch ahead, "
		"all steal at home",
	.state_bytes = sizeof(struct cls),
	.member_bytes = sizeof(uint32_t),
	.idle = cls_idle,
	.granted = cls_granted,
	.refused = cls_refused,
	.told = cls_told,
	.tick = cls_tick,
};
