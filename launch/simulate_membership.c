#include "launch/simulate_membership.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "launch/plan/survival.h"
#include "launch/wireup/wireup_sim.h"
#include "node/membership.h"

/* A view on its way to the root. */
struct dispatched {
	struct stn_simulate_membership *membership;
	uint32_t root, count;
	struct stn_change changes[];
};

static void
view_arrives(void *arg)
{
	struct dispatched *view = arg;
	struct stn_simulate_membership *membership = view->membership;
	struct stn_node *node = membership->nodes[view->root];

	if (!stn_members_has(&membership->sequencer.members, view->root)) {
		free(view);
	} else if (!node) { /* has not begun */
		stn_sim_at(membership->sim,
			   stn_sim_now(membership->sim) +
				   membership->latency_ns + 1,
			   view_arrives, view);
	} else {
		stn_membership_view(node, view->changes, view->count);
		stn_sim_nudge(membership->sim, view->root);
		free(view);
	}
}

static void
send_view(void *arg, uint32_t root, const struct stn_change *changes,
	  uint32_t count)
{
	struct stn_simulate_membership *membership = arg;
	size_t bytes = count * sizeof(changes[0]);
	struct dispatched *view = malloc(sizeof(*view) + bytes);

	if (!view)
		abort();
	stn_simulate_output_root(membership->output, root);
	*view = (struct dispatched){ membership, root, count };
	memcpy(view->changes, changes, bytes);
	stn_sim_at(membership->sim,
		   stn_sim_now(membership->sim) + membership->latency_ns,
		   view_arrives, view);
}

static void
issue(void *arg)
{
	struct stn_simulate_membership *membership = arg;

	membership->issuing = false;
	stn_sequencer_issue(&membership->sequencer);
}

/* Changes of the same time are in one view. */
static void
issue_soon(struct stn_simulate_membership *membership)
{
	if (!membership->issuing)
		stn_sim_at(membership->sim, stn_sim_now(membership->sim), issue,
			   membership);
	membership->issuing = true;
}

/* Does a node stay? */
static void
check_stay(const struct stn_simulate_membership *membership)
{
	const struct stn_members *members = &membership->sequencer.members;
	struct stn_why why;

	if (!members->living || members->leavers < members->living)
		return;
	stn_because(&why, STN_LOST,
		    "at %.3f s all nodes that live have been told to leave",
		    (double)stn_sim_now(membership->sim) * 1e-9);
	membership->fail(why.text);
}

static void
member_gone(struct stn_simulate_membership *membership, uint32_t rank,
	    enum stn_change_what what)
{
	stn_sequencer_gone(&membership->sequencer, rank, what);
	check_stay(membership);
	issue_soon(membership);
}

static void
member_leaves(struct stn_simulate_membership *membership, uint32_t rank)
{
	stn_sequencer_leave(&membership->sequencer, rank);
	check_stay(membership);
	issue_soon(membership);
}

/* A node that has handed over its work. */
struct leaver {
	struct stn_simulate_membership *membership;
	uint32_t rank;
};

static void
end_leaver(void *arg)
{
	struct leaver *leaver = arg;
	struct stn_simulate_membership *membership = leaver->membership;
	uint32_t rank = leaver->rank;

	free(leaver);
	if (!stn_sim_kill(membership->sim, rank))
		return; /* it was killed meanwhile, or has ended */
	stn_wireup_sim_died(membership->wireup, rank);
	member_gone(membership, rank, STN_LEFT);
}

static void
member_left(void *arg, uint32_t rank)
{
	struct stn_simulate_membership *membership = arg;
	struct leaver *leaver = malloc(sizeof(*leaver));

	if (!leaver)
		abort();
	*leaver = (struct leaver){ membership, rank };
	stn_sim_at(membership->sim, stn_sim_now(membership->sim), end_leaver,
		   leaver);
}

/* The node can take part now, unless the run is over or the node has died. */
static void
member_joined(void *arg)
{
	const struct stn_simulate_joiner *joiner = arg;
	struct stn_simulate_membership *membership = joiner->membership;
	uint32_t rank = joiner->rank;

	if (stn_simulate_events_died(membership->events, rank))
		return;
	if (stn_sequencer_joined(&membership->sequencer, rank) &&
	    stn_wireup_sim_joined(membership->wireup, rank))
		issue_soon(membership);
	else
		stn_sim_kill(membership->sim, rank);
}

static void
join_begins(struct stn_simulate_membership *membership, uint32_t rank)
{
	struct stn_simulate_joiner *joiner = &membership->joiners[rank];

	if (!stn_topology_reserved(membership->topology, rank) ||
	    joiner->membership)
		return; /* it takes part already */
	*joiner = (struct stn_simulate_joiner){ membership, rank };
	membership->start(membership->start_arg, rank);
	stn_sim_at(membership->sim,
		   stn_sim_now(membership->sim) + 2 * membership->latency_ns,
		   member_joined, joiner);
}

static void
simulate_fence(void *arg, uint32_t rank)
{
	struct stn_simulate_membership *membership = arg;

	if (stn_sim_kill(membership->sim, rank))
		stn_wireup_sim_died(membership->wireup, rank);
	member_gone(membership, rank, STN_DIED);
}

static void
noticed(void *arg, enum stn_schedule_what what, uint32_t rank)
{
	struct stn_simulate_membership *membership = arg;

	if (what == STN_SCHEDULE_SUSPECT)
		stn_sequencer_suspect(&membership->sequencer, rank);
	else if (what == STN_SCHEDULE_KILL || what == STN_SCHEDULE_VANISH)
		member_gone(membership, rank, STN_DIED);
	else if (what == STN_SCHEDULE_LEAVE)
		member_leaves(membership, rank);
	else if (what == STN_SCHEDULE_JOIN)
		join_begins(membership, rank);
}

enum stn_err
stn_simulate_membership_init(struct stn_simulate_membership *membership,
			     const struct stn_simulate_run *run,
			     struct stn_node **nodes,
			     struct stn_simulate_events *events,
			     stn_simulate_start *start, void *arg)
{
	const struct stn_sequencer_host host = { send_view, simulate_fence,
						 membership };
	enum stn_err err =
		stn_sequencer_init(&membership->sequencer, run->topology, host);

	if (err)
		return err;
	membership->joiners = calloc(run->topology->nodes,
				     sizeof(membership->joiners[0]));
	if (!membership->joiners) {
		stn_sequencer_fini(&membership->sequencer);
		return STN_NO_MEMORY;
	}
	membership->events = events;
	membership->topology = run->topology;
	membership->start = start;
	membership->start_arg = arg;
	membership->sim = run->sim;
	membership->wireup = run->wireup;
	membership->nodes = nodes;
	membership->latency_ns = run->config->lan.latency_ns;
	membership->issuing = false;
	membership->fail = run->fail;
	stn_wireup_sim_tell(run->wireup, &membership->sequencer,
			    stn_survival_wanted(run->config), member_left,
			    membership);
	if (stn_survival_wanted(run->config))
		stn_simulate_events_tell(events, noticed, membership);
	return STN_OK;
}

void
stn_simulate_membership_fini(struct stn_simulate_membership *membership)
{
	stn_sequencer_fini(&membership->sequencer);
	free(membership->joiners);
}
