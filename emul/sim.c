/*
 * sim.c: runs the nodes of a simulated run, one event after the other.
 */
#include "emul/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define WATCH_EVENTS 16384 /* between looks at the terminal */
#define GUARD_BYTES 65536
#define GUARDED 16384 /* nodes; a guard costs the kernel two mappings */

void
sim_no_memory(void)
{
	fputs("sateen: no memory for the simulation's messages\n", stderr);
	fflush(NULL);
	_Exit(EXIT_FAILURE);
}

uint64_t
sim_add(struct stn_sim *sim, uint64_t at, uint32_t rank, uint32_t what,
	struct stn_parcel *parcel)
{
	uint64_t order = stn_events_add(&sim->events, (struct stn_event){
							      .at = at,
							      .node = rank,
							      .what = what,
							      .parcel = parcel,
						      });

	if (!order)
		sim_no_memory();
	return order;
}

static uint32_t
rank_of(const struct stn_sim *sim, const struct sim_node *node)
{
	return (uint32_t)(node - sim->nodes);
}

/* Something else may happen, until @node goes on @at that time. */
static void
yield(struct stn_sim *sim, struct sim_node *node, uint64_t at)
{
	if (at == STN_FOREVER)
		node->run = 0;
	else
		node->run = sim_add(sim, at, rank_of(sim, node), SIM_RUN, NULL);
	sim->current = NULL;
	stn_fiber_switch(&node->fiber, &sim->scheduler);
	sim->current = node;
}

uint64_t
sim_busy(struct stn_sim *sim, struct sim_node *node, uint64_t from)
{
	uint64_t begin = node->free_ns > from ? node->free_ns : from;

	node->free_ns = begin + sim->model.overhead_ns;
	node->owed_ns += sim->model.overhead_ns;
	return node->free_ns;
}

void
stn_sim_spend(struct stn_sim *sim, uint64_t ns)
{
	struct sim_node *node = sim->current;

	/* Messages that come meanwhile make it last longer. */
	for (ns += node->owed_ns;; ns = node->owed_ns) {
		uint64_t due = sim->now + ns;

		node->owed_ns = 0;
		/* Now and then even a node alone lets the watch look. */
		if (stn_events_next(&sim->events) > due &&
		    ++sim->unwatched < WATCH_EVENTS)
			sim->now = due;
		else
			yield(sim, node, due);
		if (!node->owed_ns)
			return;
	}
}

void
stn_sim_wait(struct stn_sim *sim, uint64_t until_ns)
{
	struct sim_node *node = sim->current;

	sim_look(sim, node);
	if (!node->woken && until_ns > sim->now) {
		node->waiting = true;
		yield(sim, node, until_ns);
		node->waiting = false;
	}
	node->woken = false;
	/* What messages cost, the node did while it had nothing else to do. */
	node->owed_ns = 0;
	if (node->free_ns > sim->now)
		stn_sim_spend(sim, node->free_ns - sim->now);
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

void
stn_sim_attend(struct stn_sim *sim, uint32_t rank, stn_sim_look *look,
	       void *arg)
{
	struct sim_node *node = &sim->nodes[rank];

	node->look = look;
	node->look_arg = arg;
}

void
sim_look(struct stn_sim *sim, struct sim_node *node)
{
	uint64_t at;

	if (!node->look)
		return;
	at = node->look(node->look_arg);
	if (at <= sim->now)
		at = sim->now + 1;
	/* If it will look before then, that will tell. */
	if (at >= node->look_ns)
		return;
	node->look_ns = at;
	sim_add(sim, at, rank_of(sim, node), SIM_LOOK, NULL);
}

static void
look_now(struct stn_sim *sim, struct sim_node *node)
{
	if (node->look_ns != sim->now)
		return; /* it has found an earlier time since */
	node->look_ns = STN_FOREVER;
	sim_look(sim, node);
}

static void
happen(struct stn_sim *sim, const struct stn_event *event)
{
	struct sim_node *node = &sim->nodes[event->node];

	sim->happened++;
	switch (event->what) {
	case SIM_RUN:
		if (event->order != node->run)
			break; /* it was woken before */
		sim->current = node;
		stn_fiber_switch(&sim->scheduler, &node->fiber);
		break;
	case SIM_LOOK:
		look_now(sim, node);
		break;
	case SIM_ARRIVE:
		sim_arrive(sim, event->node, event->parcel);
		break;
	case SIM_DELIVER:
		sim_deliver(sim, event->node, event->parcel);
		break;
	}
}

/* Until all lives have ended, or something is wrong. */
static enum stn_err
run(struct stn_sim *sim, struct sim_watch *watch, struct stn_why *why)
{
	struct stn_event event;

	while (sim->alive) {
		if (!stn_events_take(&sim->events, &event))
			return stn_because(why, STN_LOST,
					   "all nodes wait, and nothing will "
					   "happen");
		sim->now = event.at;
		happen(sim, &event);
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
	err = run(sim, &watch, why);
	sim->took = sim_watch_end(&watch);
	return err;
}

static void
live(void *arg)
{
	struct sim_node *node = arg;
	struct stn_sim *sim = node->sim;

	sim->current = node;
	node->life(node->life_arg);
	sim->alive--;
	sim->current = NULL;
	stn_fiber_leave(&node->fiber, &sim->scheduler);
}

enum stn_err
stn_sim_start(struct stn_sim *sim, uint32_t rank, stn_sim_life *life, void *arg)
{
	struct sim_node *node = &sim->nodes[rank];
	size_t bytes = sim->model.stack_bytes;
	char *stack = sim->stacks + rank * (bytes + GUARD_BYTES);

	if (sim->model.topology->nodes <= GUARDED &&
	    mprotect(stack, GUARD_BYTES, PROT_NONE))
		return STN_NO_MEMORY;
	node->life = life;
	node->life_arg = arg;
	stn_fiber_begin(&node->fiber, stack + GUARD_BYTES, bytes, live, node);
	node->run = sim_add(sim, 0, rank, SIM_RUN, NULL);
	sim->alive++;
	return STN_OK;
}

static enum stn_err
barrier(struct stn_wireup *wireup, struct stn_why *why)
{
	struct stn_sim *sim =
		(struct stn_sim *)((char *)wireup -
				   offsetof(struct stn_sim, wireup));
	uint32_t round = sim->round;

	(void)why;
	if (++sim->arrived == wireup->nodes) {
		sim->arrived = 0;
		sim->round++;
		for (uint32_t i = 0; i < wireup->nodes; i++)
			stn_sim_wake(sim, i);
	}
	while (sim->round == round)
		stn_sim_wait(sim, STN_FOREVER);
	return STN_OK;
}

static void
give_up(struct stn_wireup *wireup, const char *text)
{
	(void)wireup;
	fprintf(stderr, "sateen: %s\n", text);
	fflush(NULL);
	_Exit(EXIT_FAILURE); /* all nodes, at once */
}

/* Nodes need no cards: all are this program, and this simulation. */
static const struct stn_wireup_ops wireup_ops = {
	.barrier = barrier,
	.abort = give_up,
};

struct stn_wireup *
stn_sim_wireup(struct stn_sim *sim)
{
	return &sim->wireup;
}

static char *
map_stacks(const struct stn_sim_model *model)
{
	size_t bytes =
		model->topology->nodes * (model->stack_bytes + GUARD_BYTES);
	void *stacks = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return stacks == MAP_FAILED ? NULL : stacks;
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
	sim->wireup = (struct stn_wireup){ &wireup_ops, nodes };
	sim->stacks = map_stacks(model);
	if (!sim->stacks) {
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

void
stn_sim_destroy(struct stn_sim *sim)
{
	struct stn_event event;

	if (!sim)
		return;
	for (uint32_t i = 0; i < sim->wireup.nodes; i++)
		if (sim->nodes[i].life)
			stn_fiber_end(&sim->nodes[i].fiber);
	while (stn_events_take(&sim->events, &event))
		free(event.parcel);
	stn_events_fini(&sim->events);
	munmap(sim->stacks,
	       sim->wireup.nodes * (sim->model.stack_bytes + GUARD_BYTES));
	free(sim);
}

struct stn_sim_account
stn_sim_account(const struct stn_sim *sim)
{
	return (struct stn_sim_account){
		.now_ns = sim->now,
		.events = sim->happened,
		.messages = sim->messages,
		.took_ns = sim->took,
		.signal = sim->signal,
	};
}
