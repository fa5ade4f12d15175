/*
 * sim.c: the simulator's scheduler: takes the events in order and runs each,
 * most of them by a switch to a node's fiber.
 */
#include "emul/sim_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "emul/sim_stacks.h"
#include "emul/sim_watch.h"

#define WATCH_EVENTS 16384 /* from one call of sim_watch to the next */

/* Adds the event by which @node goes on. STN_FOREVER: stn_sim_wake adds it. */
static void
go_on_at(struct stn_sim *sim, struct sim_node *node, uint64_t at)
{
	node->run = 0;
	if (at != STN_FOREVER)
		node->run =
			sim_add(sim, at, sim_rank_of(sim, node), SIM_RUN, NULL);
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
 * nothing happens before the time is over, except when it is time to call
 * sim_watch.
 */
static bool
begin_spending(struct stn_sim *sim, struct sim_node *node, uint64_t ns)
{
	uint64_t due = sim->now + ns;

	node->owed_ns = 0;
	if (stn_events_next(&sim->events) > due &&
	    ++sim->unwatched < WATCH_EVENTS) {
		sim->now = due;
		return false;
	}
	go_on_at(sim, node, due);
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
	go_on_at(sim, node, until_ns);
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
stn_sim_wake(struct stn_sim *sim, uint32_t rank)
{
	struct sim_node *node = &sim->nodes[rank];

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

void
stn_sim_at(struct stn_sim *sim, uint64_t at_ns, stn_sim_callback *callback,
	   void *arg)
{
	struct stn_call *call = malloc(sizeof(*call));
	struct stn_event event = {
		.at = at_ns > sim->now ? at_ns : sim->now,
		.what = SIM_CALL,
		.call = call,
	};

	if (!call)
		sim_no_memory(sim);
	*call = (struct stn_call){ callback, arg };
	if (!stn_events_add(&sim->events, event))
		sim_no_memory(sim);
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

	assert(!sim->current);
	if (!node->main || node->ended)
		return false;
	node->ended = node->killed = true;
	sim->alive--;
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

/* Runs the node's main function, or makes its steps. */
static void
go_on(struct stn_sim *sim, struct sim_node *node)
{
	do {
		sim->current = node;
		if (!node->step || make_steps(sim, node))
			stn_fiber_switch(&sim->scheduler, &node->fiber);
		sim->current = NULL;
	} while (node->steps_begin);
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
	case SIM_CALL:
		call_now(event->call);
		break;
	}
}

/* Runs events until all nodes have ended, an error, or a signal. */
static enum stn_err
sim_run_events(struct stn_sim *sim, struct sim_watch *watch,
	       struct stn_why *why)
{
	struct stn_event event;

	while (sim->alive) {
		if (sim->events.failed)
			sim_no_memory(sim);
		if (!stn_events_take(&sim->events, &event))
			return stn_because(why, STN_LOST,
					   "the simulation can't go on: every "
					   "node waits, and no event is left");
		sim_expect(sim);
		sim->now = event.at;
		run_event(sim, &event);
		if (++sim->unwatched < WATCH_EVENTS)
			continue;
		sim->unwatched = 0;
		sim->signal = sim_watch(watch, sim);
		if (sim->signal)
			return stn_because(why, STN_CANCELLED,
					   "interrupted by signal %d",
					   sim->signal);
	}
	return STN_OK;
}

enum stn_err
stn_sim_run(struct stn_sim *sim, struct stn_why *why)
{
	struct sim_watch watch;
	enum stn_err err;

	sim_watch_begin(&watch);
	err = sim_run_events(sim, &watch, why);
	sim->took_ns = sim_watch_end(&watch);
	return err;
}

static void
sim_node_main(void *arg)
{
	struct sim_node *node = arg;
	struct stn_sim *sim = node->sim;

	sim->current = node;
	node->main(node->main_arg);
	node->ended = true;
	sim->alive--;
	sim->current = NULL;
	stn_fiber_leave(&node->fiber, &sim->scheduler);
}

enum stn_err
stn_sim_start(struct stn_sim *sim, uint32_t rank, stn_sim_main *main, void *arg)
{
	struct sim_node *node = &sim->nodes[rank];
	enum stn_err err = sim_stack_begin(sim, rank, sim_node_main);

	if (err)
		return err;
	node->main = main;
	node->main_arg = arg;
	node->run = sim_add(sim, sim->now, rank, SIM_RUN, NULL);
	sim->alive++;
	return STN_OK;
}

struct stn_sim *
stn_sim_create(const struct stn_sim_model *model)
{
	uint32_t nodes = model->topology->nodes;
	struct stn_sim *sim =
		calloc(1, sizeof(*sim) + nodes * sizeof(sim->nodes[0]));

	if (!sim)
		return NULL;
	sim->model = *model;
	sim->count = nodes;
	if (!sim_stacks_map(sim)) {
		free(sim);
		return NULL;
	}
	stn_fiber_adopt(&sim->scheduler);
	for (uint32_t i = 0; i < nodes; i++) {
		sim->nodes[i].sim = sim;
		sim->nodes[i].look_ns = STN_FOREVER;
	}
	return sim;
}

static void
node_fini(struct sim_node *node)
{
	if (node->main && node->ended && !node->killed)
		stn_fiber_end(&node->fiber);
	else if (node->main)
		stn_fiber_abandon(&node->fiber);
	sim_free_dropped(node);
}

void
stn_sim_destroy(struct stn_sim *sim)
{
	struct stn_event event;

	if (!sim)
		return;
	for (uint32_t i = 0; i < sim->count; i++)
		node_fini(&sim->nodes[i]);
	while (stn_events_take(&sim->events, &event)) {
		if (event.what == SIM_CALL)
			free(event.call);
		else
			free(event.parcel);
	}
	stn_events_fini(&sim->events);
	sim_stacks_unmap(sim);
	free(sim);
}

struct stn_sim_account
stn_sim_account(const struct stn_sim *sim)
{
	return (struct stn_sim_account){
		.now_ns = sim->now,
		.events = sim->events_run,
		.messages = sim->messages,
		.took_ns = sim->took_ns,
		.signal = sim->signal,
	};
}
