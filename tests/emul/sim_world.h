/*
 * sim_world.h: four simulated nodes, for tests. Each runs a short main
 * function, a play, and notes at what virtual times its events happened.
 */
#ifndef STN_TESTS_EMUL_SIM_WORLD_H
#define STN_TESTS_EMUL_SIM_WORLD_H

#include <string.h>

#include "tests/tap.h"
#include "emul/sim_transport.h"
#include "transport/transport.h"
#include "launch/wireup/wireup_sim.h"

#define US 1000ull
#define MS 1000000ull
#define NODES 4 /* two in each of two clusters */
#define NOTES 8

/* A message of no bytes takes 1 + 10 + 1 us inside a cluster. */
static const struct stn_link lan = { .latency_ns = 10 * US,
				     .bytes_per_s = STN_SECOND_NS };
static const struct stn_link wan = { .latency_ns = 100 * MS,
				     .bytes_per_s = 100000 };
static uint32_t threads; /* of the simulations */

struct world;

struct node {
	struct world *world;
	struct stn_sim *sim; /* its share */
	uint32_t rank;
	struct stn_transport *transport;
	uint64_t handled[NOTES], done[NOTES]; /* virtual times */
	size_t sizes[NOTES];
	unsigned handled_count, done_count;
	uint64_t looked;
	uint64_t end; /* when the node's play ended */
};

struct world {
	struct stn_sim *sim;
	struct stn_wireup *wireup;
	struct node nodes[NODES];
	void (*play)(struct node *node);
};

static uint64_t
now(const struct node *node)
{
	return stn_sim_now(node->sim);
}

static void
note_done(void *arg, enum stn_err err)
{
	struct node *node = arg;

	if (!err)
		node->done[node->done_count++ % NOTES] = now(node);
}

static void
ignore(void *arg, enum stn_err err)
{
	(void)arg;
	(void)err;
}

static void
note_message(void *arg, const struct stn_message *message)
{
	struct node *node = arg;
	char bytes[65536];
	struct iovec piece = { bytes, message->payload_bytes };
	unsigned at = node->handled_count++ % NOTES;

	stn_transport_take(node->transport, message, &piece, 1, ignore, NULL);
	node->handled[at] = now(node);
	node->sizes[at] = message->payload_bytes;
	stn_sim_wake(node->sim, node->rank);
}

static void
send(struct node *node, uint32_t to, size_t bytes)
{
	static char zeros[65536];
	struct iovec piece = { zeros, bytes };

	stn_transport_send(node->transport, to, 1, NULL, 0, &piece, 1,
			   note_done, node);
}

static void
wait_for(struct node *node, unsigned messages)
{
	while (node->handled_count < messages)
		stn_sim_wait(node->sim, STN_FOREVER);
}

static void
node_main(void *arg)
{
	struct node *node = arg;

	node->world->play(node);
	node->end = now(node);
}

static void
bail_out(const char *text)
{
	printf("Bail out! %s\n", text);
	exit(EXIT_FAILURE);
}

/* Runs a simulation in which each node does @play. */
static enum stn_err
perform_on(struct world *world, struct stn_topology topology,
	   uint64_t overhead_ns, void (*play)(struct node *))
{
	struct stn_sim_model model = { .topology = &topology,
				       .lan = lan,
				       .overhead_ns = overhead_ns,
				       .stack_bytes = 1 << 20,
				       .fail = bail_out,
				       .threads = threads };
	struct stn_why why;
	enum stn_err err = STN_OK;

	memset(world, 0, sizeof(*world));
	world->sim = stn_sim_create(&model);
	world->wireup = stn_wireup_sim(world->sim, NODES, bail_out);
	world->play = play;
	for (uint32_t i = 0; !err && i < NODES; i++) {
		struct node *node = &world->nodes[i];
		struct stn_opening opening = { .topology = &topology,
					       .rank = i,
					       .handler = note_message,
					       .arg = node };

		*node = (struct node){ .world = world,
				       .sim = stn_sim_of(world->sim, i),
				       .rank = i };
		err = stn_sim_open(world->sim, &opening, &node->transport,
				   &why);
		if (!err)
			err = stn_sim_start(world->sim, i, node_main, node);
	}
	if (!err)
		err = stn_sim_run(world->sim, &why);
	for (uint32_t i = 0; i < NODES; i++)
		stn_transport_close(world->nodes[i].transport, 0);
	return err;
}

static void
clear(struct world *world)
{
	stn_wireup_destroy(world->wireup);
	stn_sim_destroy(world->sim);
}

static enum stn_err
perform(struct world *world, uint64_t overhead_ns, void (*play)(struct node *))
{
	struct stn_link_queue queues[4] = { 0 };
	const struct stn_topology topology = {
		.nodes = NODES, .clusters = 2, .wan = wan, .queues = queues
	};

	return perform_on(world, topology, overhead_ns, play);
}

#endif
