/*
 * chs.c: Cluster-aware Hierarchical Stealing (PPoPP 2001, section 3.3). The
 * nodes of a cluster form a tree. A node without work asks its children, one
 * after another; a child without records asks its own children. Only if the
 * whole subtree is idle, the node asks its parent, and the parent does the
 * same. The root of an idle cluster asks the root of a random other cluster. A
 * result that arrives while a request is out ends the search: the request is
 * cancelled, together with the requests that it has caused.
 *
 * If this node has no record for a request, the request is parked here while
 * the node searches for it. A request from above (from the parent or from
 * another root) is parked until the subtree is known to be idle. A request from
 * a child is parked until the whole search has ended. A child whose request is
 * parked here has an idle subtree and isn't asked. So requests from above wait
 * only for nodes below. Requests from below wait only for nodes above, or in
 * other subtrees, that do not wait for them. There is no circle of waiting
 * requests, so every search ends.
 *
 * Nodes learn at different times that a node has died or joined. Until then
 * they ask by different trees, and still there is no circle, because in each
 * tree a parent's rank is lower than its children's. A node that has asked
 * above keeps only requests of its children parked: such a chain of requests
 * leads to lower and lower ranks. All other chains consist of requests to
 * children, and lead to higher and higher ranks. So requests need not carry the
 * number of a view. tests/steal/chs.pml is a model of this.
 *
 * A node that has been told to leave searches for nobody, so it is no parent
 * and no root: the tree has the nodes that stay. But it still lends its own
 * records. So each node that stays asks a share of the leaving nodes after its
 * children. A leaving node keeps no request parked, and asks nobody; when it
 * learns that it leaves, it refuses all requests that are parked there.
 *
 * The paper doesn't give the width of the tree; the setting chs-fanout does.
 */
#include "steal/balance.h"
#include "node/setting.h"

struct chs_settings {
	uint64_t fanout;
};

static const struct stn_setting chs_rows[] = {
	{ "chs-fanout", 0, COUNT, offsetof(struct chs_settings, fanout), "2", 1,
	  4096, "nodes", "children of a node in its cluster's tree" },
};

static const struct stn_setting_table chs_settings = {
	.rows = chs_rows,
	.count = sizeof(chs_rows) / sizeof(chs_rows[0]),
	.bytes = sizeof(struct chs_settings),
};

struct chs {
	uint32_t next; /* number of the next node below to ask */
	bool out;      /* a request is out, */
	bool up;       /* to the parent or to another root, */
	bool old;      /* by a tree that has changed since */
};

/*
 * A node's place in the tree of its cluster: the nodes that stay count from the
 * root, row by row, in the order of their ranks.
 */
struct place {
	const struct stn_members *members;
	uint32_t cluster, fanout, number;
	uint32_t staying; /* nodes in the tree */
};

static struct place
chs_place_of(const struct stn_snapshot *snapshot)
{
	const struct chs_settings *settings = snapshot->settings;
	uint32_t cluster = stn_cluster_of(snapshot->topology, snapshot->rank);

	return (struct place){
		snapshot->members, cluster, (uint32_t)settings->fanout,
		stn_members_staying_number(snapshot->members, snapshot->rank),
		stn_members_staying(snapshot->members, cluster)
	};
}

static uint32_t
count_children(const struct place *place)
{
	uint64_t first = (uint64_t)place->number * place->fanout + 1;

	if (first >= place->staying)
		return 0;
	return place->staying - first < place->fanout
		       ? place->staying - (uint32_t)first
		       : place->fanout;
}

/* The leaving node of the cluster with this number, or STN_NOBODY. */
static uint32_t
leaver_at(const struct place *place, uint64_t number)
{
	uint32_t living = stn_members_in(place->members, place->cluster);

	if (number >= living - place->staying)
		return STN_NOBODY;
	for (uint32_t i = 0;; i++) {
		uint32_t rank =
			stn_members_at(place->members, place->cluster, i);

		if (!stn_members_stays(place->members, rank) && !number--)
			return rank;
	}
}

/*
 * The child with this number, or behind them a leaving node. STN_NOBODY: no
 * more.
 */
static uint32_t
find_below(const struct place *place, uint32_t number)
{
	uint32_t children = count_children(place);

	if (number < children)
		return stn_members_staying_at(
			place->members, place->cluster,
			place->number * place->fanout + 1 + number);
	return leaver_at(place, place->number + (uint64_t)place->staying *
							(number - children));
}

static bool
is_child(const struct place *place, uint32_t rank)
{
	uint32_t number;

	if (!stn_members_stays(place->members, rank) ||
	    stn_cluster_of(place->members->topology, rank) != place->cluster)
		return false;
	number = stn_members_staying_number(place->members, rank);
	return number && (number - 1) / place->fanout == place->number;
}

static bool
waits_here(const struct stn_snapshot *snapshot, uint32_t rank)
{
	for (uint32_t i = 0; i < snapshot->parked_count; i++)
		if (snapshot->parked[i].from == rank)
			return true;
	return false;
}

static bool
a_child_waits(const struct stn_snapshot *snapshot, const struct place *place)
{
	for (uint32_t i = 0; i < snapshot->parked_count; i++)
		if (is_child(place, snapshot->parked[i].from))
			return true;
	return false;
}

/* The search has ended, or starts again. */
static void
reset(struct chs *chs)
{
	chs->next = 0;
	chs->up = false;
	chs->out = false;
	chs->old = false;
}

static bool
ask_below(struct chs *chs, const struct stn_snapshot *snapshot,
	  const struct place *place, struct stn_moves *moves)
{
	uint32_t rank;

	for (; (rank = find_below(place, chs->next)) != STN_NOBODY;
	     chs->next++) {
		if (waits_here(snapshot, rank))
			continue;
		stn_moves_ask(moves, rank, false);
		return true;
	}
	return false;
}

static bool
ask_above(const struct stn_snapshot *snapshot, const struct place *place,
	  struct stn_moves *moves)
{
	uint32_t other;

	if (place->number) {
		stn_moves_ask(moves,
			      stn_members_staying_at(
				      place->members, place->cluster,
				      (place->number - 1) / place->fanout),
			      false);
		return true;
	}
	if (snapshot->members->clusters == 1)
		return false;
	other = stn_choose_cluster(snapshot);
	stn_moves_ask(moves, stn_members_head(place->members, other), false);
	return true;
}

static void
chs_idle(void *state, const struct stn_snapshot *snapshot,
	 struct stn_moves *moves)
{
	struct place place = chs_place_of(snapshot);
	struct chs *chs = state;

	if (ask_below(chs, snapshot, &place, moves)) {
		chs->out = true;
	} else if ((snapshot->idle || a_child_waits(snapshot, &place)) &&
		   ask_above(snapshot, &place, moves)) {
		chs->out = chs->up = true;
	} else {
		reset(chs);
	}
}

/*
 * An idle node keeps the record. Calls that it spawns go to the parked
 * requests.
 */
static bool
chs_granted(void *state, const struct stn_snapshot *snapshot,
	    const struct stn_ask *ask)
{
	(void)ask;
	reset(state);
	return snapshot->idle;
}

static bool
chs_refused(void *state, const struct stn_snapshot *snapshot,
	    const struct stn_ask *ask, bool cancelled)
{
	struct chs *chs = state;
	bool over = chs->up;

	(void)ask;
	chs->out = false;
	if (!cancelled && !over) {
		chs->next += !chs->old;
		chs->old = false;
		return true;
	}
	reset(chs);
	if (cancelled) /* a record may be wanted again meanwhile */
		return snapshot->idle || snapshot->parked_count;
	return false;
}

static bool
chs_waits(void *state, const struct stn_snapshot *snapshot, uint32_t from)
{
	struct place place = chs_place_of(snapshot);
	const struct chs *chs = state;

	return is_child(&place, from) || !chs->up;
}

static void
chs_withdrawn(void *state, const struct stn_snapshot *snapshot,
	      struct stn_moves *moves)
{
	const struct chs *chs = state;

	moves->cancel = chs->out && !snapshot->idle && !snapshot->parked_count;
}

/*
 * The children have changed: the search begins again with the first. A refusal
 * that is still to come says nothing about a child in the new tree.
 */
static void
chs_died(void *state, const struct stn_snapshot *snapshot, uint32_t rank)
{
	struct chs *chs = state;

	(void)snapshot;
	(void)rank;
	chs->next = 0;
	chs->old = chs->out;
}

const struct stn_balancer stn_balancer_chs = {
	.name = "chs",
	.help = "cluster-aware hierarchical stealing: ask the subtree, then "
		"the parent; roots ask roots",
	.requests = STN_REQUESTS_MOST,
	.settings = &chs_settings,
	.state_bytes = sizeof(struct chs),
	.idle = chs_idle,
	.granted = chs_granted,
	.refused = chs_refused,
	.waits = chs_waits,
	.withdrawn = chs_withdrawn,
	.died = chs_died,
};
