/*
 * decide.c: asks the balancer what to do, and does it. All under the net lock.
 */
#include "steal/node.h"

#define LOAD_MOST 4096 /* records; no threshold is higher */

static uint32_t
enough(const struct stn_node *node)
{
	return node->balancer->enough ? node->balancer->enough(&node->config)
				      : LOAD_MOST;
}

/*
 * How many records wait on this node to be run, or enough of them; about, as it
 * is going on. Those that have come home are for who waits for them there.
 */
static uint32_t
load_of(const struct stn_node *node)
{
	uint32_t returned = node->returned, waiting = node->waiting;
	uint32_t load = waiting > returned ? waiting - returned : 0;
	uint32_t most = enough(node);

	for (uint32_t i = 0; i < node->worker_count && load < most; i++)
		load += (uint32_t)stn_deque_length(&node->workers[i].deque,
						   most - load);
	return load;
}

/*
 * Does a worker look for work that needs more than what lies here for it? Not
 * the one whose stolen record is @done.
 */
static bool
wants_record(const struct stn_node *node, const struct stn_record *done)
{
	return stn_node_seeking(node, done) > node->waiting;
}

/* But for the load. */
static struct stn_view
look(struct stn_node *node, bool idle)
{
	return (struct stn_view){
		.topology = &node->topology,
		.config = &node->config,
		.rank = node->rank,
		.random = &node->random,
		.now = stn_node_now(node),
		.idle = idle,
		.in_transit = node->in_transit,
		.held = node->held,
		.held_count = node->held_count,
	};
}

static struct stn_view
view_of(struct stn_node *node, bool idle)
{
	const struct stn_balancer *balancer = node->balancer;
	struct stn_view view = look(node, idle);

	if (balancer->longer || balancer->tick)
		view.load = load_of(node);
	return view;
}

static void
tell_load(struct stn_node *node, uint32_t to, uint32_t load)
{
	struct stn_wire_load message = { load };

	stn_node_send(node, to, STN_LOAD, &message, sizeof(message), NULL, 0,
		      NULL, NULL);
}

/* Has a record been pushed? */
static bool
carry_out(struct stn_node *node, const struct stn_view *view,
	  const struct stn_moves *moves)
{
	if (moves->cancel)
		stn_borrow_cancel(node);
	for (unsigned i = 0; i < moves->ask_count; i++)
		stn_borrow_request(node, &moves->asks[i]);
	if (moves->tell != STN_NOBODY)
		tell_load(node, moves->tell, view->load);
	return moves->push_to != STN_NOBODY &&
	       stn_lend_push(node, moves->push_to);
}

bool
stn_decide_idle(struct stn_node *node, bool idle)
{
	struct stn_moves moves = stn_moves_none();
	struct stn_view view;

	if (node->synchronous || node->stopping)
		return true;
	view = view_of(node, idle || wants_record(node, NULL));
	node->balancer->idle(node->balance, &view, &moves);
	carry_out(node, &view, &moves);
	return moves.ask_count || !node->balancer->waits;
}

static struct stn_view
view_answer(struct stn_node *node, const struct stn_request *request,
	    uint64_t bytes)
{
	struct stn_view view = view_of(node, wants_record(node, NULL));

	view.answer =
		(struct stn_answer){ view.now - request->asked_ns, bytes };
	return view;
}

bool
stn_decide_granted(struct stn_node *node, const struct stn_request *request,
		   uint64_t bytes)
{
	struct stn_view view = view_answer(node, request, bytes);

	return node->balancer->granted(node->balance, &view, &request->ask);
}

bool
stn_decide_refused(struct stn_node *node, const struct stn_request *request,
		   uint64_t bytes)
{
	struct stn_view view = view_answer(node, request, bytes);

	return node->balancer->refused(node->balance, &view, &request->ask,
				       request->cancelled);
}

/* A deque's owner may be waiting: no walk along the queues. */
enum stn_verdict
stn_decide_lends(struct stn_node *node, const struct stn_held *thief,
		 const struct stn_loan *loan)
{
	struct stn_view view = look(node, wants_record(node, NULL));

	return node->balancer->lends(node->balance, &view, thief, loan);
}

bool
stn_decide_waits(struct stn_node *node, uint32_t from)
{
	struct stn_view view = view_of(node, false);

	return node->balancer->waits(node->balance, &view, from);
}

void
stn_decide_withdrawn(struct stn_node *node, const struct stn_record *done)
{
	struct stn_moves moves = stn_moves_none();
	struct stn_view view;

	if (!node->balancer->withdrawn || node->stopping)
		return;
	view = view_of(node, wants_record(node, done));
	node->balancer->withdrawn(node->balance, &view, &moves);
	carry_out(node, &view, &moves);
}

void
stn_decide_longer(struct stn_node *node)
{
	struct stn_moves moves;
	struct stn_view view;

	if (!node->balancer->longer || node->stopping)
		return;
	do {
		moves = stn_moves_none();
		view = view_of(node, false);
		node->balancer->longer(node->balance, &view, &moves);
	} while (carry_out(node, &view, &moves));
}

bool
stn_decide_told(struct stn_node *node, uint32_t from, uint32_t load)
{
	struct stn_moves moves = stn_moves_none();
	struct stn_view view;
	bool right;

	if (node->stopping)
		return true;
	view = view_of(node, false);
	right = node->balancer->told(node->balance, &view, from, load, &moves);
	carry_out(node, &view, &moves);
	return right;
}

uint64_t
stn_decide_tick(struct stn_node *node)
{
	struct stn_moves moves = stn_moves_none();
	struct stn_view view;

	if (!node->balancer->tick || node->stopping)
		return STN_FOREVER;
	if (stn_node_now(node) < node->tick_ns)
		return node->tick_ns;
	view = view_of(node, false);
	node->tick_ns = node->balancer->tick(node->balance, &view, &moves);
	carry_out(node, &view, &moves);
	return node->tick_ns;
}

void
stn_decide_ran(struct stn_node *node, uint64_t bytes, uint64_t took_ns)
{
	if (node->balancer->ran)
		node->balancer->ran(node->balance, bytes, took_ns);
}
