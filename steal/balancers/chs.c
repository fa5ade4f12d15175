/*
 * Cluster-aware Hierarchical Stealing (PPoPP 2001, section 3.3): the nodes of a
 * cluster are a tree. A node without work asks its children, one after another,
 * and each of them that has none asks its own; only when the whole subtree is
 * idle, the node asks its parent, which does the same; and the root of an idle
 * cluster asks the root of a random other one. A result that comes while a
 * request is out ends the search: the request is cancelled, and so is what it
 * has set off.
 *
 * A request for which there is no record waits here while this node searches on
 * its behalf: one from above (the parent, or another root) until the subtree is
 * known to be idle, one from a child until the whole search has ended. A child
 * whose request waits here has an idle subtree, and isn't asked. So requests
 * from above wait for nodes below only, and others for nodes above, or in other
 * subtrees, that don't wait for them: no circle, and every search ends.
 *
 * The paper doesn't say how wide the tree is; the setting chs-fanout does.
 */
#include "steal/balance.h"
#include "steal/config.h"

struct chs {
	uint32_t next; /* child to ask */
	bool out;      /* a request is; */
	bool up;       /*   to the parent, or to another root */
};

/* A node's place in its cluster: ranks count from the root, row by row. */
struct place {
	uint32_t root, size, fanout, number;
};

static struct place
place_of(const struct stn_view *view)
{
	uint32_t cluster = stn_cluster_of(view->topology, view->rank);
	uint32_t root = stn_cluster_first(view->topology, cluster);

	return (struct place){ root, stn_cluster_size(view->topology, cluster),
			       (uint32_t)view->config->chs_fanout,
			       view->rank - root };
}

/* Is there a child of this number? Its rank. */
static bool
find_child(const struct place *place, uint32_t number, uint32_t *rank_p)
{
	uint64_t child = (uint64_t)place->number * place->fanout + 1 + number;

	if (number >= place->fanout || child >= place->size)
		return false;
	*rank_p = place->root + (uint32_t)child;
	return true;
}

static bool
is_child(const struct place *place, uint32_t rank)
{
	uint32_t number = rank - place->root; /* huge, if it isn't a member */

	return number && number < place->size &&
	       (number - 1) / place->fanout == place->number;
}

static bool
waits_here(const struct stn_view *view, uint32_t rank)
{
	for (uint32_t i = 0; i < view->held_count; i++)
		if (view->held[i].from == rank)
			return true;
	return false;
}

static bool
a_child_waits(const struct stn_view *view, const struct place *place)
{
	for (uint32_t i = 0; i < view->held_count; i++)
		if (is_child(place, view->held[i].from))
			return true;
	return false;
}

/* The search has ended, or is to begin anew. */
static void
reset(struct chs *chs)
{
	chs->next = 0;
	chs->up = false;
	chs->out = false;
}

static bool
ask_child(struct chs *chs, const struct stn_view *view,
	  const struct place *place, struct stn_moves *moves)
{
	uint32_t child;

	for (; find_child(place, chs->next, &child); chs->next++) {
		if (waits_here(view, child))
			continue;
		stn_moves_ask(moves, child, false);
		return true;
	}
	return false;
}

static bool
ask_above(const struct stn_view *view, const struct place *place,
	  struct stn_moves *moves)
{
	uint32_t other, mine;

	if (place->number) {
		stn_moves_ask(moves,
			      place->root + (place->number - 1) / place->fanout,
			      false);
		return true;
	}
	if (view->topology->clusters == 1)
		return false;
	mine = stn_cluster_of(view->topology, view->rank);
	other = stn_random_below(view->random, view->topology->clusters - 1);
	other += other >= mine;
	stn_moves_ask(moves, stn_cluster_first(view->topology, other), false);
	return true;
}

static void
chs_idle(void *state, const struct stn_view *view, struct stn_moves *moves)
{
	struct place place = place_of(view);
	struct chs *chs = state;

	if (ask_child(chs, view, &place, moves)) {
		chs->out = true;
	} else if ((view->idle || a_child_waits(view, &place)) &&
		   ask_above(view, &place, moves)) {
		chs->out = chs->up = true;
	} else {
		reset(chs);
	}
}

/* An idle node works on it itself: what that spawns is for who waits here. */
static bool
chs_granted(void *state, const struct stn_view *view, const struct stn_ask *ask)
{
	(void)ask;
	reset(state);
	return view->idle;
}

static bool
chs_refused(void *state, const struct stn_view *view, const struct stn_ask *ask,
	    bool cancelled)
{
	struct chs *chs = state;
	bool over = chs->up;

	(void)ask;
	chs->out = false;
	if (!cancelled && !over) {
		chs->next++;
		return true;
	}
	reset(chs);
	if (cancelled) /* is a record wanted again? */
		return view->idle || view->held_count;
	return false;
}

static bool
chs_waits(void *state, const struct stn_view *view, uint32_t from)
{
	struct place place = place_of(view);
	const struct chs *chs = state;

	return is_child(&place, from) || !chs->up;
}

static void
chs_withdrawn(void *state, const struct stn_view *view, struct stn_moves *moves)
{
	const struct chs *chs = state;

	moves->cancel = chs->out && !view->idle && !view->held_count;
}

const struct stn_balancer stn_balancer_chs = {
	.name = "chs",
	.help = "cluster-aware hierarchical stealing: ask the subtree, then "
		"the parent; roots ask roots",
	.state_bytes = sizeof(struct chs),
	.idle = chs_idle,
	.granted = chs_granted,
	.refused = chs_refused,
	.waits = chs_waits,
	.withdrawn = chs_withdrawn,
};
