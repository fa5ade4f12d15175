/*
 * cls.c: Cluster-aware Load-based Stealing (PPoPP 2001, section 3.4): Random
 * Stealing inside a cluster. One node of each cluster is the coordinator. Every
 * 10 ms the other nodes tell it their load, the number of records in their
 * queue, if that has changed; a node that becomes idle tells it at once. If the
 * load of the whole cluster is below a threshold, the coordinator asks a random
 * node of a random other cluster, asynchronously. A granted record waits on the
 * coordinator until a node of the cluster steals it. On one cluster this is
 * Random Stealing. If the coordinator dies or is told to leave, the next node
 * of the cluster takes its place, and all tell it their loads: a node that
 * leaves sends no requests.
 *
 * The coordinator has at most one such request out. After a refusal it decides
 * again when the next load arrives, or when it looks at its own load. The paper
 * tuned the threshold by hand for each application, between 1 and 64; the
 * setting cls-threshold sets it.
 */
#include "steal/balance.h"
#include "node/setting.h"
#include "transport/transport.h"

struct cls_settings {
	uint64_t threshold, interval_ns;
};

static const struct stn_setting cls_rows[] = {
	{ "cls-threshold", 0, COUNT, offsetof(struct cls_settings, threshold),
	  "8", 1, 4096, "records",
	  "a cluster with fewer of them queued asks others" },
	{ "cls-interval", 0, DURATION,
	  offsetof(struct cls_settings, interval_ns), "10ms", 100000, 0, "time",
	  "time between two looks of a node at its load" },
};

static const struct stn_setting_table cls_settings = {
	.rows = cls_rows,
	.count = sizeof(cls_rows) / sizeof(cls_rows[0]),
	.bytes = sizeof(struct cls_settings),
};

struct cls {
	bool wide_area;	  /* a request to another cluster is out */
	uint32_t told;	  /* the load that this node told last */
	uint32_t loads[]; /* on the coordinator: of its cluster's nodes, by
			   * their numbers in the cluster */
};

static uint32_t
coordinator(const struct stn_snapshot *snapshot)
{
	uint32_t mine = stn_cluster_of(snapshot->topology, snapshot->rank);

	return stn_members_head(snapshot->members, mine);
}

static uint64_t
cluster_load(const struct cls *cls, const struct stn_snapshot *snapshot)
{
	uint32_t mine = stn_cluster_of(snapshot->topology, snapshot->rank);
	uint32_t size = stn_cluster_size(snapshot->topology, mine);
	uint64_t load = 0;

	for (uint32_t i = 0; i < size; i++)
		load += cls->loads[i];
	return load;
}

/*
 * The coordinator asks another cluster if its own cluster has too few records.
 */
static void
prefetch(struct cls *cls, const struct stn_snapshot *snapshot,
	 struct stn_moves *moves)
{
	const struct cls_settings *settings = snapshot->settings;

	if (cls->wide_area || snapshot->members->clusters == 1 ||
	    cluster_load(cls, snapshot) >= settings->threshold)
		return;
	stn_moves_ask(moves, stn_choose_remote(snapshot), true);
	cls->wide_area = true;
}

/* The node's load is @load: tells the coordinator, if the load has changed. */
static void
cls_report(struct cls *cls, const struct stn_snapshot *snapshot, uint32_t load,
	   struct stn_moves *moves)
{
	if (coordinator(snapshot) == snapshot->rank) {
		cls->loads[stn_cluster_number(snapshot->topology,
					      snapshot->rank)] = load;
		prefetch(cls, snapshot, moves);
	} else if (load != cls->told) {
		cls->told = load;
		moves->tell = coordinator(snapshot);
	}
}

static void
cls_idle(void *state, const struct stn_snapshot *snapshot,
	 struct stn_moves *moves)
{
	uint32_t mine = stn_cluster_of(snapshot->topology, snapshot->rank);

	if (snapshot->members->clusters > 1)
		cls_report(state, snapshot, snapshot->load, moves);
	if (stn_members_in(snapshot->members, mine) > 1)
		stn_moves_ask(moves, stn_choose_member(snapshot, mine), false);
}

static bool
cls_granted(void *state, const struct stn_snapshot *snapshot,
	    const struct stn_ask *ask)
{
	struct cls *cls = state;

	(void)snapshot;
	if (ask->asynchronous)
		cls->wide_area = false;
	return true;
}

static bool
cls_refused(void *state, const struct stn_snapshot *snapshot,
	    const struct stn_ask *ask, bool cancelled)
{
	(void)cancelled;
	cls_granted(state, snapshot, ask);
	return false;
}

static bool
cls_told(void *state, const struct stn_snapshot *snapshot, uint32_t from,
	 uint32_t load, struct stn_moves *moves)
{
	struct cls *cls = state;

	if (from == snapshot->rank)
		return false;
	/* The sender may know already that this node is the coordinator now. */
	cls->loads[stn_cluster_number(snapshot->topology, from)] = load;
	if (coordinator(snapshot) != snapshot->rank)
		return false;
	prefetch(cls, snapshot, moves);
	return true;
}

static void
cls_died(void *state, const struct stn_snapshot *snapshot, uint32_t rank)
{
	struct cls *cls = state;
	uint32_t mine = stn_cluster_of(snapshot->topology, snapshot->rank);

	cls->told = UINT32_MAX; /* the coordinator may be another one now */
	if (stn_cluster_of(snapshot->topology, rank) == mine &&
	    !stn_members_has(snapshot->members, rank))
		cls->loads[stn_cluster_number(snapshot->topology, rank)] = 0;
}

static uint64_t
cls_tick(void *state, const struct stn_snapshot *snapshot,
	 struct stn_moves *moves)
{
	const struct cls_settings *settings = snapshot->settings;

	if (snapshot->topology->clusters == 1)
		return STN_FOREVER;
	cls_report(state, snapshot, snapshot->load, moves);
	return snapshot->now + settings->interval_ns;
}

const struct stn_balancer stn_balancer_cls = {
	.name = "cls",
	.help = "cluster-aware load-based stealing: coordinators fetch ahead, "
		"all steal at home",
	.requests = STN_REQUESTS_MOST,
	.settings = &cls_settings,
	.state_bytes = sizeof(struct cls),
	.member_bytes = sizeof(uint32_t),
	.idle = cls_idle,
	.granted = cls_granted,
	.refused = cls_refused,
	.told = cls_told,
	.died = cls_died,
	.tick = cls_tick,
};
