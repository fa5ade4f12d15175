/*
 * sim_node.c: what the scheduler and the network do with a node: add an event
 * for it, charge it for a message, and call its look.
 */
#include <stdlib.h>

#include "emul/sim_private.h"

#define ORDER_BITS 40 /* of an order, that count the events of a node */

void
sim_no_memory(const struct stn_sim *sim)
{
	sim->model.fail("no memory for the simulation's messages");
	abort(); /* fail must not return */
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
		sim_no_memory(sim);
	return order;
}

void
sim_cross(struct stn_sim *sim, struct sim_node *from, struct stn_event event)
{
	uint32_t to = sim->nodes[event.node].sim->number;

	event.order = (uint64_t)sim_rank_of(sim, from) << ORDER_BITS |
		      ++from->crossings;
	if (to == sim->number ? !stn_events_put(&sim->events, &event)
			      : !stn_event_list_add(
					&sim->outboxes[sim->turn][to], &event))
		sim_no_memory(sim);
}

uint64_t
sim_add_overhead(struct stn_sim *sim, struct sim_node *node, uint64_t from)
{
	uint64_t begin =
		node->busy_until_ns > from ? node->busy_until_ns : from;

	node->busy_until_ns = begin + sim->model.overhead_ns;
	node->owed_ns += sim->model.overhead_ns;
	return node->busy_until_ns;
}

void
stn_sim_attend(struct stn_sim *sim, uint32_t rank, stn_sim_look *look,
	       void *arg)
{
	struct sim_node *node = &sim->nodes[rank];

	node->look = look;
	node->look_arg = arg;
}

/* Adds the event that calls the node's look next. */
static void
look_at(struct stn_sim *sim, struct sim_node *node, uint64_t at)
{
	node->look_ns = at;
	sim_add(sim, at, sim_rank_of(sim, node), SIM_LOOK, NULL);
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
	/* An earlier event will call look, which then returns a new time. */
	if (at >= node->look_ns)
		return;
	look_at(sim, node, at);
}

void
sim_look_soon(struct stn_sim *sim, struct sim_node *node)
{
	if (node->look && node->look_ns > sim->now)
		look_at(sim, node, sim->now);
}

void
stn_sim_look_by(struct stn_sim *sim, uint32_t rank, uint64_t at)
{
	struct sim_node *node = &sim->nodes[rank];

	if (node->look && node->look_ns > at)
		look_at(sim, node, at);
}

void
stn_sim_nudge(struct stn_sim *sim, uint32_t rank)
{
	sim_look(sim->nodes[rank].sim, &sim->nodes[rank]);
}

void
stn_sim_hint(struct stn_sim *sim, uint32_t rank, const void *memory,
	     size_t bytes)
{
	struct sim_node *node = &sim->nodes[rank];
	uintptr_t first = (uintptr_t)memory / SIM_LINE;
	uintptr_t end = ((uintptr_t)memory + bytes - 1) / SIM_LINE + 1;

	for (size_t i = 0; i < SIM_HINTS && first < end; i++) {
		uintptr_t lines = end - first;

		if (node->hints[i])
			continue;
		if (lines >= SIM_LINE)
			lines = SIM_LINE - 1;
		node->hints[i] = first * SIM_LINE | lines;
		first += lines;
	}
}

/*
 * The empty assembler statement tells the compiler that the call matters: a
 * function that only prefetches has no effect that it knows of, so GCC removes
 * calls of it.
 */
static void
fetch(const void *memory, size_t lines)
{
	__asm__ volatile("");
	for (size_t i = 0; i < lines; i++)
		__builtin_prefetch((const char *)memory + i * SIM_LINE, 1);
}

static void
expect_node(const struct sim_node *node, bool runs)
{
	for (size_t i = 0; i < SIM_HINTS && node->hints[i]; i++) {
		uintptr_t hint = node->hints[i];

		fetch((const void *)(hint & ~(uintptr_t)(SIM_LINE - 1)),
		      hint % SIM_LINE);
	}
	if (runs && !node->step)
		fetch(stn_fiber_hint(&node->fiber), SIM_STACK_LINES);
}

void
sim_expect(const struct stn_sim *sim)
{
	const struct stn_events *events = &sim->events;
	const struct stn_event *event;

	if (!events->near.count)
		return;
	event = &events->near.events[0];
	expect_node(&sim->nodes[event->node], event->what == SIM_RUN);
	for (size_t i = 1; i < 5 && i < events->near.count; i++) {
		event = &events->near.events[i];
		fetch(&sim->nodes[event->node],
		      sizeof(sim->nodes[0]) / SIM_LINE);
		if (event->what == SIM_ARRIVE || event->what == SIM_DELIVER)
			fetch(event->parcel, 2);
	}
}
