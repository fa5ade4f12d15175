/*
 * sim.c: the scheduler of a share: takes its events in order and runs each,
 * most of them by a switch to a node's fiber.
 */
#include "emul/sim_private.h"

#include <assert.h>
#include <stdlib.h>
#include <time.h>

#include "emul/sim_watch.h"
#include "emul/sim_window.h"

/*
 * About PAUSE_NS of the machine's time pass from one call of sim_pause to the
 * next, but no more than PAUSE_MOST steps: a step may be a long leaf.
 */
#define PAUSE_NS 10000000
#define PAUSE_MOST 16384

/*
 * @node, which yields now, goes on at this time. STN_FOREVER: stn_sim_wake says
 * when. go_on adds the event, because queueing it would take a few hundred
 * bytes of the node's stack.
 */
static void
go_on_at(struct sim_node *node, uint64_t at)
{
	node->due = true;
	node->due_ns = at;
}

static void
add_due(struct stn_sim *sim, struct sim_node *node)
{
	node->due = false;
	node->run = 0;
	if (node->due_ns != STN_FOREVER)
		node->run = sim_add(sim, node->due_ns, sim_rank_of(sim, node),
				    SIM_RUN, NULL);
}

/* Runs other events until @node, which is running, goes on. */
static void
yield(struct stn_sim *sim, struct sim_node *node)
{
	sim->current = NULL;
	stn_fiber_switch(&node->fiber, &sim->scheduler);
	sim->current = node;
}

/*
 * Lets @node spend time. Returns true if it must yield meanwhile; not if
 * nothing happens before the time is over and the window ends later, except
 * when it is time for a pause.
 */
static bool
begin_spending(struct stn_sim *sim, struct sim_node *node, uint64_t ns)
{
	uint64_t due = sim->now + ns;

	node->owed_ns = 0;
	if (stn_events_next(&sim->events) > due && due < sim->end) {
		if (++sim->unwatched < sim->pace) {
			sim->now = due;
			return false;
		}
		/* The machine decides when it pauses, so that is no event. */
		sim->events_run--;
	}
	go_on_at(node, due);
	return true;
}

void
stn_sim_spend(struct stn_sim *sim, uint64_t ns)
{
	struct sim_node *node = sim->current;

	/* Overheads of messages handled meanwhile are added to the time. */
	for (ns += node->owed_ns;; ns = node->owed_ns) {
		if (begin_spending(sim, node, ns))
			yield(sim, node);
		if (!node->owed_ns)
			return;
	}
}

/* Returns true if @node must yield. */
static bool
begin_wait(struct stn_sim *sim, struct sim_node *node, uint64_t until_ns)
{
	sim_look(sim, node);
	if (node->woken || until_ns <= sim->now)
		return false;
	node->waiting = true;
	go_on_at(node, until_ns);
	return true;
}

/*
 * While the node waited, it had time for the overheads of its messages. Only
 * the part that has not passed yet is left to spend: returns that.
 */
static uint64_t
end_wait(const struct stn_sim *sim, struct sim_node *node)
{
	node->waiting = false;
	node->woken = false;
	node->owed_ns = 0;
	return node->busy_until_ns > sim->now ? node->busy_until_ns - sim->now
					      : 0;
}

void
stn_sim_wait(struct stn_sim *sim, uint64_t until_ns)
{
	struct sim_node *node = sim->current;
	uint64_t rest;

	if (begin_wait(sim, node, until_ns))
		yield(sim, node);
	rest = end_wait(sim, node);
	if (rest)
		stn_sim_spend(sim, rest);
}

/*
 * Makes the steps of a node: the first one, or those after a wait that has
 * ended, or after time that was spent when it had. Returns false if the node
 * must yield.
 */
static bool
make_steps(struct stn_sim *sim, struct sim_node *node)
{
	uint64_t until_ns, rest;

	do {
		rest = 0;
		if (node->steps_begin)
			node->steps_begin = false;
		else
			rest = node->spending ? node->owed_ns
					      : end_wait(sim, node);
		node->spending = rest && begin_spending(sim, node, rest);
		if (node->spending)
			return false;
		if (!node->step(node->step_arg, &until_ns)) {
			node->step = NULL;
			return true;
		}
	} while (!begin_wait(sim, node, until_ns));
	return false;
}

void
stn_sim_steps(struct stn_sim *sim, stn_sim_step *step, void *arg)
{
	struct sim_node *node = sim->current;

	node->step = step;
	node->step_arg = arg;
	node->steps_begin = true; /* go_on makes the first step at once */
	yield(sim, node);
}

void
stn_sim_aside(struct stn_sim *sim, void (*call)(void *arg), void *arg)
{
	struct sim_node *node = sim->current;

	assert(node && !node->aside && !node->step);
	node->aside = call;
	node->aside_arg = arg;
	yield(sim, node); /* go_on makes the call at once */
}

void
stn_sim_wake(struct stn_sim *sim, uint32_t rank)
{
	struct sim_node *node = &sim->nodes[rank];

	sim = node->sim;
	if (node->waiting && !node->woken)
		node->run = sim_add(sim, sim->now, rank, SIM_RUN, NULL);
	node->woken = true;
}

uint64_t
stn_sim_measure(struct stn_sim *sim)
{
	uint64_t last = sim->measured;
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	sim->measured =
		(uint64_t)now.tv_sec * STN_SECOND_NS + (uint64_t)now.tv_nsec;
	return sim->measured - last;
}

uint64_t
stn_sim_now(const struct stn_sim *sim)
{
	return sim->now;
}

uint32_t
stn_sim_running(const struct stn_sim *sim)
{
	return sim->current ? sim_rank_of(sim, sim->current) : STN_NOBODY;
}

static struct stn_event
new_call(const struct stn_sim *sim, uint64_t at, stn_sim_callback *callback,
	 void *arg)
{
	struct stn_call *call = malloc(sizeof(*call));

	if (!call)
		sim_no_memory(sim);
	*call = (struct stn_call){ callback, arg };
	return (struct stn_event){ .at = at, .what = SIM_CALL, .call = call };
}

void
stn_sim_at(struct stn_sim *sim, uint64_t at_ns, stn_sim_callback *callback,
	   void *arg)
{
	struct stn_event event = new_call(
		sim, at_ns > sim->now ? at_ns : sim->now, callback, arg);

	if (!stn_events_add(&sim->events, event))
		sim_no_memory(sim);
}

void
stn_sim_tell(struct stn_sim *sim, uint32_t from, uint32_t to,
	     stn_sim_callback *callback, void *arg)
{
	struct sim_node *node = &sim->nodes[from];
	struct stn_event event = new_call(
		sim, node->sim->now + sim->world->lookahead_ns, callback, arg);

	event.node = to;
	sim_cross(node->sim, node, event);
}

static void
call_now(struct stn_call *at)
{
	const struct stn_call call = *at;

	free(at);
	call.callback(call.arg);
}

bool
stn_sim_kill(struct stn_sim *sim, uint32_t rank)
{
	struct sim_node *node = &sim->nodes[rank];

	assert(!sim->current && sim->world->share_count == 1);
	if (!node->main || node->ended)
		return false;
	node->ended = node->killed = true;
	sim->alive--;
	sim->ended_ns = sim->now;
	node->run = 0;	       /* no SIM_RUN event counts from now on, */
	node->waiting = false; /* and stn_sim_wake adds none */
	node->look = NULL;
	return true;
}

static void
look_now(struct stn_sim *sim, struct sim_node *node)
{
	if (node->look_ns != sim->now)
		return; /* look has asked for an earlier time since */
	node->look_ns = STN_FOREVER;
	sim_look(sim, node);
}

/* Makes the call of stn_sim_aside. */
static void
call_aside(struct sim_node *node)
{
	node->aside(node->aside_arg);
	node->aside = NULL;
}

/*
 * Runs the node's main function, or makes its steps, or calls for it; until it
 * waits for an event.
 */
static void
go_on(struct stn_sim *sim, struct sim_node *node)
{
	do {
		sim->current = node;
		if (node->aside)
			call_aside(node);
		if (!node->step || make_steps(sim, node))
			stn_fiber_switch(&sim->scheduler, &node->fiber);
		sim->current = NULL;
	} while (node->steps_begin || node->aside);
	if (node->due)
		add_due(sim, node);
}

static void
run_event(struct stn_sim *sim, const struct stn_event *event)
{
	struct sim_node *node = &sim->nodes[event->node];

	sim->events_run++;
	switch (event->what) {
	case SIM_RUN:
		if (event->order != node->run)
			break; /* out of date: stn_sim_wake came first */
		go_on(sim, node);
		break;
	case SIM_LOOK:
		look_now(sim, node);
		break;
	case SIM_ARRIVE:
		sim_arrive(sim, event->parcel);
		break;
	case SIM_DELIVER:
		sim_deliver(sim, event->parcel);
		break;
	case SIM_SENT:
		sim_sent(sim, event->parcel);
		break;
	case SIM_CALL:
		call_now(event->call);
		break;
	}
}

/*
 * Should the share end its window now, for a signal or the progress line? This
 * is safe: the next window begins at its first event, so it ends no earlier
 * than this one.
 */
static bool
sim_pause(struct stn_sim *sim)
{
	uint64_t now = stn_machine_now(NULL);

	if (now - sim->paused_ns > PAUSE_NS)
		sim->pace /= 2;
	else if (sim->pace < PAUSE_MOST)
		sim->pace = 2 * sim->pace + 1;
	sim->paused_ns = now;
	sim->unwatched = 0;
	return sim_watch_signal() ||
	       (!sim->number && sim_watch_due(sim->world->watch));
}

/*
 * A share whose nodes have all ended goes on as long as other shares have
 * nodes: messages may still arrive.
 */
void
sim_run_window(struct stn_sim *sim)
{
	bool others = sim->world->share_count > 1;
	struct stn_event event;

	while ((sim->alive || others) &&
	       stn_events_next(&sim->events) < sim->end) {
		stn_events_take(&sim->events, &event);
		sim_expect(sim);
		sim->now = event.at;
		run_event(sim, &event);
		if (sim->events.failed)
			sim_no_memory(sim);
		if (++sim->unwatched >= sim->pace && sim_pause(sim))
			return;
	}
}
