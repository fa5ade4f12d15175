/*
 * decide.c: takes a snapshot, calls the balancer, and carries out its moves.
 * All under the net lock.
 */
#include "steal/decide.h"

#include "node/dispatch.h"
#include "steal/loan.h"
#include "steal/requests.h"
#include "steal/steal.h"
#include "steal/wire.h"

#define LOAD_MOST 4096 /* records; no balancer's threshold is higher */

static uint32_t
enough(const struct stn_steal *steal)
{
	return steal->deciding.balancer->enough
		       ? steal->deciding.balancer->enough(
				 steal->deciding.settings)
		       : LOAD_MOST;
}

/*
 * The number of records that wait on this node to be run, counted up to
 * enough(), as the balancer does not distinguish larger loads; approximate, as
 * workers spawn and run meanwhile. Records that have come home don't count: the
 * workers that wait for them run them.
 */
static uint32_t
load_of(const struct stn_steal *steal)
{
	uint32_t returned = steal->inbox.returned,
		 waiting = steal->inbox.waiting;
	uint32_t load = waiting > returned ? waiting - returned : 0;
	uint32_t most = enough(steal);

	for (uint32_t i = 0; i < steal->node->worker_count && load < most; i++)
		load += (uint32_t)stn_deque_length(&steal->owners[i].deque,
						   most - load);
	return load;
}

/*
 * Does a worker look for work beyond the records in the inbox? The worker that
 * waited for the record @done doesn't count.
 */
static bool
wants_record(const struct stn_steal *steal, const struct stn_record *done)
{
	return stn_steal_seeking(steal, done) > steal->inbox.waiting;
}

/* Everything of a snapshot except the load. */
static struct stn_snapshot
decide_look(struct stn_steal *steal, bool idle, uint64_t now)
{
	return (struct stn_snapshot){
		.topology = steal->node->topology,
		.members = &steal->node->members,
		.settings = steal->deciding.settings,
		.rank = steal->node->rank,
		.random = &steal->random,
		.now = now,
		.idle = idle,
		.in_transit = steal->in_transit,
		.parked = steal->parked.all,
		.parked_count = steal->parked.count,
	};
}

static struct stn_snapshot
snapshot_at(struct stn_steal *steal, bool idle, uint64_t now)
{
	const struct stn_balancer *balancer = steal->deciding.balancer;
	struct stn_snapshot snapshot = decide_look(steal, idle, now);

	if (balancer->longer || balancer->tick)
		snapshot.load = load_of(steal);
	return snapshot;
}

static struct stn_snapshot
snapshot_of(struct stn_steal *steal, bool idle)
{
	return snapshot_at(steal, idle, stn_node_now(steal->node));
}

static void
tell_load(struct stn_steal *steal, uint32_t to, uint32_t load)
{
	struct stn_wire_load message = { load };

	stn_node_say(steal->node, to, STN_LOAD, &message, sizeof(message));
}

/*
 * The time for which the victim may park the request, unless it is a lifeline:
 * as long as the pause after a refusal would be. Over a link a refusal comes at
 * once, as in the papers.
 */
static uint32_t
patience_us(const struct stn_steal *steal, const struct stn_ask *ask)
{
	uint64_t us = steal->pausing.pause_ns / 1000;

	if (ask->lifeline_us)
		return ask->lifeline_us;
	if (ask->asynchronous || stn_node_is_wide(steal->node, ask->victim))
		return 0;
	return us < STN_REQUEST_BOUND ? (uint32_t)us : STN_REQUEST_BOUND - 1;
}

/* Returns whether a record was pushed. */
static bool
carry_out(struct stn_steal *steal, const struct stn_snapshot *snapshot,
	  const struct stn_moves *moves)
{
	if (moves->cancel)
		stn_request_cancel_all(steal);
	if (moves->cancel_lifelines)
		stn_request_cancel_lifelines(steal);
	for (unsigned i = 0; i < moves->ask_count && !steal->node->leaving; i++)
		stn_request_send(steal, &moves->asks[i],
				 patience_us(steal, &moves->asks[i]));
	if (moves->tell != STN_NOBODY)
		tell_load(steal, moves->tell, snapshot->load);
	/* A node that leaves would send the record back. */
	return moves->push_to != STN_NOBODY &&
	       stn_members_stays(&steal->node->members, moves->push_to) &&
	       stn_loan_push(steal, moves->push_to);
}

bool
stn_decide_idle(struct stn_steal *steal, bool idle)
{
	struct stn_moves moves = stn_moves_none();
	struct stn_snapshot snapshot;

	if (steal->requests.synchronous || steal->node->stopping)
		return true;
	if (steal->node->leaving)
		return !steal->deciding.balancer->waits;
	snapshot = snapshot_of(steal, idle || wants_record(steal, NULL));
	steal->deciding.balancer->idle(steal->deciding.state, &snapshot,
				       &moves);
	carry_out(steal, &snapshot, &moves);
	return moves.ask_count || !steal->deciding.balancer->waits;
}

static struct stn_snapshot
snapshot_answer(struct stn_steal *steal, const struct stn_request *request,
		uint64_t bytes, uint64_t now)
{
	struct stn_snapshot snapshot =
		snapshot_at(steal, wants_record(steal, NULL), now);

	snapshot.answer = (struct stn_answer){ now - request->asked_ns, bytes };
	return snapshot;
}

bool
stn_decide_granted(struct stn_steal *steal, const struct stn_request *request,
		   uint64_t bytes, uint64_t now)
{
	struct stn_snapshot snapshot =
		snapshot_answer(steal, request, bytes, now);

	return steal->deciding.balancer->granted(steal->deciding.state,
						 &snapshot, &request->ask);
}

bool
stn_decide_refused(struct stn_steal *steal, const struct stn_request *request,
		   uint64_t bytes)
{
	struct stn_snapshot snapshot = snapshot_answer(
		steal, request, bytes, stn_node_now(steal->node));

	return steal->deciding.balancer->refused(steal->deciding.state,
						 &snapshot, &request->ask,
						 request->cancelled);
}

/*
 * Called with a deque's lock held, for which its owner may wait: counting the
 * load would take too long.
 */
enum stn_verdict
stn_decide_lends(struct stn_steal *steal, const struct stn_parked *thief,
		 const struct stn_loan *loan)
{
	struct stn_snapshot snapshot = decide_look(
		steal, wants_record(steal, NULL), stn_node_now(steal->node));

	return steal->deciding.balancer->lends(steal->deciding.state, &snapshot,
					       thief, loan);
}

bool
stn_decide_waits(struct stn_steal *steal, uint32_t from)
{
	struct stn_snapshot snapshot = snapshot_of(steal, false);

	return steal->deciding.balancer->waits(steal->deciding.state, &snapshot,
					       from);
}

void
stn_decide_withdrawn(struct stn_steal *steal, const struct stn_record *done)
{
	struct stn_moves moves = stn_moves_none();
	struct stn_snapshot snapshot;

	if (!steal->deciding.balancer->withdrawn || steal->node->stopping)
		return;
	snapshot = decide_look(steal, wants_record(steal, done),
			       stn_node_now(steal->node));
	steal->deciding.balancer->withdrawn(steal->deciding.state, &snapshot,
					    &moves);
	carry_out(steal, &snapshot, &moves);
}

void
stn_decide_died(struct stn_steal *steal, uint32_t rank)
{
	struct stn_snapshot snapshot = snapshot_of(steal, false);

	if (steal->deciding.balancer->died)
		steal->deciding.balancer->died(steal->deciding.state, &snapshot,
					       rank);
}

void
stn_decide_longer(struct stn_steal *steal)
{
	struct stn_moves moves;
	struct stn_snapshot snapshot;

	if (!steal->deciding.balancer->longer || steal->node->stopping)
		return;
	do {
		moves = stn_moves_none();
		snapshot = snapshot_of(steal, false);
		steal->deciding.balancer->longer(steal->deciding.state,
						 &snapshot, &moves);
	} while (carry_out(steal, &snapshot, &moves));
}

bool
stn_decide_told(struct stn_steal *steal, uint32_t from, uint32_t load)
{
	struct stn_moves moves = stn_moves_none();
	struct stn_snapshot snapshot;
	bool right;

	if (steal->node->stopping)
		return true;
	snapshot = snapshot_of(steal, false);
	right = steal->deciding.balancer->told(steal->deciding.state, &snapshot,
					       from, load, &moves);
	carry_out(steal, &snapshot, &moves);
	return right;
}

uint64_t
stn_decide_tick(struct stn_steal *steal, uint64_t now)
{
	struct stn_moves moves = stn_moves_none();
	const struct stn_node *node = steal->node;
	struct stn_snapshot snapshot;

	if (!steal->deciding.balancer->tick || node->stopping)
		return STN_FOREVER;
	/*
	 * A node that joins must not ask yet: another node may not be connected
	 * to it, and a record that it lends would be lost. The view with this
	 * node brings the next call.
	 */
	if (!stn_members_has(&node->members, node->rank))
		return STN_FOREVER;
	if (now < steal->deciding.tick_ns)
		return steal->deciding.tick_ns;
	snapshot = snapshot_of(steal, false);
	steal->deciding.tick_ns = steal->deciding.balancer->tick(
		steal->deciding.state, &snapshot, &moves);
	carry_out(steal, &snapshot, &moves);
	return steal->deciding.tick_ns;
}

void
stn_decide_ran(struct stn_steal *steal, uint64_t bytes, uint64_t took_ns)
{
	if (steal->deciding.balancer->ran)
		steal->deciding.balancer->ran(steal->deciding.state, bytes,
					      took_ns);
}
