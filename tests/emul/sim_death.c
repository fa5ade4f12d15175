/*
 * sim_death.c: the death of simulated nodes: stn_sim_kill, what becomes of a
 * dead node's messages and of those to it, and stn_sim_at, by which the tests
 * kill.
 */
#include <string.h>

#include "emul/sim_transport.h"
#include "launch/wireup/wireup_sim.h"
#include "tests/tap.h"
#include "transport/transport.h"

#define US 1000ull
#define MS 1000000ull
#define NODES 4

/* Every message takes 10 us. */
static const struct stn_link lan = { .latency_ns = 10 * US };

struct world;

struct node {
	struct world *world;
	uint32_t rank;
	struct stn_transport *transport;
	unsigned handled;      /* messages */
	unsigned done, errors; /* sends that have completed; failed ones */
	enum stn_err last;     /* how the last send completed */
	uint64_t done_at;      /* and when */
	unsigned again;	       /* sends that the next completions start */
	unsigned looks;
	bool began, ended;
};

struct world {
	struct stn_sim *sim;
	struct stn_wireup *wireup;
	struct node nodes[NODES];
	void (*play)(struct node *node);
	uint64_t called[NODES]; /* times of callbacks */
	unsigned calls;
};

static uint64_t
now(const struct world *world)
{
	return stn_sim_now(world->sim);
}

static void send(struct node *node, uint32_t to, size_t bytes);

static void
note_done(void *arg, enum stn_err err)
{
	struct node *node = arg;

	node->done++;
	node->errors += err != STN_OK;
	node->last = err;
	node->done_at = now(node->world);
	if (node->again) {
		node->again--;
		send(node, 1, 10);
	}
	stn_sim_wake(node->world->sim, node->rank);
}

static void
send(struct node *node, uint32_t to, size_t bytes)
{
	static char zeros[100];
	struct iovec piece = { zeros, bytes };

	stn_transport_send(node->transport, to, 1, NULL, 0, &piece, 1,
			   note_done, node);
}

static void
note_message(void *arg, const struct stn_message *message)
{
	struct node *node = arg;

	stn_transport_refuse(node->transport, message);
	node->handled++;
	stn_sim_wake(node->world->sim, node->rank);
}

static void
node_main(void *arg)
{
	struct node *node = arg;

	node->began = true;
	node->world->play(node);
	node->ended = true;
}

static void
wait_until(struct node *node, uint64_t at)
{
	while (now(node->world) < at)
		stn_sim_wait(node->world->sim, at);
}

static void
bail_out(const char *text)
{
	printf("Bail out! %s\n", text);
	exit(EXIT_FAILURE);
}

/* Makes a world in which each node is going to do @play. */
static void
create(struct world *world, const struct stn_topology *topology,
       void (*play)(struct node *))
{
	struct stn_sim_model model = { .topology = topology,
				       .lan = lan,
				       .stack_bytes = 1 << 20,
				       .fail = bail_out };
	struct stn_why why;

	memset(world, 0, sizeof(*world));
	world->sim = stn_sim_create(&model);
	world->wireup = stn_wireup_sim(world->sim, NODES, bail_out);
	world->play = play;
	for (uint32_t i = 0; i < NODES; i++) {
		struct node *node = &world->nodes[i];
		struct stn_opening opening = { .topology = topology,
					       .rank = i,
					       .handler = note_message,
					       .arg = node };

		*node = (struct node){ .world = world, .rank = i };
		if (stn_sim_open(world->sim, &opening, &node->transport,
				 &why) ||
		    stn_sim_start(world->sim, i, node_main, node))
			bail_out("no simulation");
	}
}

static const struct stn_topology topology = { .nodes = NODES, .clusters = 1 };

static enum stn_err
run(struct world *world)
{
	struct stn_why why;

	return stn_sim_run(world->sim, &why);
}

static void
clear(struct world *world)
{
	for (uint32_t i = 0; i < NODES; i++)
		stn_transport_close(world->nodes[i].transport, 0);
	stn_wireup_destroy(world->wireup);
	stn_sim_destroy(world->sim);
}

static void
kill_1(void *arg)
{
	struct world *world = arg;

	if (stn_sim_kill(world->sim, 1))
		stn_wireup_sim_died(world->wireup, 1);
}

static void
note_call(void *arg)
{
	struct world *world = arg;

	world->called[world->calls++ % NODES] = now(world);
}

/*
 * A callback that asks for another one in the past, and for one that never
 * comes, because all nodes end before.
 */
static void
call_again(void *arg)
{
	struct world *world = arg;

	note_call(arg);
	stn_sim_at(world->sim, 0, note_call, world);
	stn_sim_at(world->sim, STN_SECOND_NS, note_call, world);
}

static void
play_wait(struct node *node)
{
	if (node->rank == 0)
		stn_sim_spend(node->world->sim, 9 * MS);
	wait_until(node, 10 * MS);
}

static void
test_calls(struct world *world)
{
	create(world, &topology, play_wait);
	stn_sim_at(world->sim, 7 * MS, note_call, world);
	stn_sim_at(world->sim, 5 * MS, call_again, world);
	tap_ok(!run(world) && world->calls == 3 && world->called[0] == 5 * MS &&
		       world->called[1] == 5 * MS && world->called[2] == 7 * MS,
	       "functions are called at their times; the run doesn't wait for "
	       "them");
	clear(world);
}

static uint64_t
look(void *arg)
{
	struct node *node = arg;

	node->looks++;
	return now(node->world) + MS;
}

/* Nodes 1 and 2 compute, node 3 waits. */
static void
play_looks(struct node *node)
{
	stn_sim_attend(node->world->sim, node->rank, look, node);
	stn_sim_wait(node->world->sim, 0);
	for (int i = 0; i < 10 && node->rank != 3; i++)
		stn_sim_spend(node->world->sim, MS);
	if (node->rank == 3)
		wait_until(node, 10 * MS);
	stn_sim_attend(node->world->sim, node->rank, NULL, NULL);
}

static void
kill_all_but_2(void *arg)
{
	struct world *world = arg;

	for (uint32_t i = 0; i < NODES; i++)
		if (i != 2 && stn_sim_kill(world->sim, i))
			note_call(world);
	if (stn_sim_running(world->sim) == STN_NOBODY &&
	    !stn_sim_kill(world->sim, 3))
		note_call(world);
}

static void
test_kill(struct world *world)
{
	create(world, &topology, play_looks);
	stn_sim_at(world->sim, 4500 * US, kill_all_but_2, world);
	tap_ok(!run(world) && now(world) == 10 * MS && world->nodes[2].ended,
	       "the run goes on without the dead");
	tap_ok(!world->nodes[1].ended && !world->nodes[3].ended &&
		       world->calls == 4,
	       "dead nodes never go on, whether they computed or waited; none "
	       "dies twice");
	tap_ok(world->nodes[1].looks < 7 &&
		       world->nodes[2].looks > world->nodes[1].looks,
	       "they do no work of their own");
	tap_ok(!stn_sim_kill(world->sim, 2), "a node that has ended can't die");
	clear(world);
}

static void
kill_everybody(void *arg)
{
	struct world *world = arg;

	for (uint32_t i = 0; i < NODES; i++)
		if (stn_sim_kill(world->sim, i))
			note_call(world);
	stn_sim_wake(world->sim, 0);
}

static void
test_nobody(struct world *world)
{
	create(world, &topology, play_wait);
	stn_sim_at(world->sim, MS, kill_everybody, world);
	tap_ok(!run(world) && now(world) == MS && world->calls == NODES,
	       "the run ends when the last node dies");
	clear(world);
	create(world, &topology, play_wait);
	kill_everybody(world);
	tap_ok(!run(world) && !world->nodes[0].began,
	       "a node that is killed before the run never begins");
	clear(world);
}

/* Node 1 dies after 5 us, while its message and one to it are under way. */
static void
play_crossing(struct node *node)
{
	if (node->rank == 1)
		send(node, 2, 10);
	if (node->rank == 0)
		send(node, 1, 10);
	wait_until(node, MS);
}

static void
test_crossing(struct world *world)
{
	create(world, &topology, play_crossing);
	stn_sim_at(world->sim, 5 * US, kill_1, world);
	tap_ok(!run(world) && world->nodes[2].handled == 1,
	       "a message arrives after its sender's death");
	tap_ok(!world->nodes[1].handled && !world->nodes[0].done,
	       "a message to a dead node is dropped, and its send doesn't end");
	tap_ok(!world->nodes[1].done, "no done function of a dead node runs");
	stn_transport_close(world->nodes[0].transport, 0);
	stn_transport_close(world->nodes[1].transport, 0);
	tap_ok(world->nodes[0].done == 1 &&
		       world->nodes[0].last == STN_CANCELLED &&
		       world->nodes[1].done == 1 &&
		       world->nodes[1].last == STN_CANCELLED,
	       "closing cancels both sends once");
	world->nodes[0].transport = world->nodes[1].transport = NULL;
	clear(world);
}

/* Node 0 deletes node 1, which is dead, after two sends to it. */
static void
play_delete(struct node *node)
{
	if (node->rank == 0) {
		send(node, 1, 10); /* dropped before the deletion */
		send(node, 2, 10);
		wait_until(node, 95 * US);
		send(node, 1, 10); /* on its way */
		send(node, 2, 10);
		node->again = 2;
		stn_transport_peer_del(node->transport, 1);
		if (node->errors == 4 && node->last == STN_LOST &&
		    node->done_at == 95 * US && node->done == 5)
			note_call(node->world);
		send(node, 1, 10);
		stn_transport_send(node->transport, 1, 1, NULL, 0, NULL, 0,
				   NULL, NULL);
	}
	wait_until(node, MS);
}

static void
test_delete(struct world *world)
{
	const struct node *node = &world->nodes[0];

	create(world, &topology, play_delete);
	stn_sim_at(world->sim, 5 * US, kill_1, world);
	tap_ok(!run(world) && world->calls == 1,
	       "deleting a dead peer ends all sends to it with STN_LOST, also "
	       "those that done functions begin");
	tap_ok(node->errors == 5 && node->done == 7,
	       "later sends are lost at once");
	tap_ok(world->nodes[2].handled == 2, "other messages arrive");
	clear(world);
	tap_ok(node->done == 7, "no send ends twice");
}

/* Node 0 wrongly takes node 1 for dead, while messages cross. */
static void
play_suspect(struct node *node)
{
	if (node->rank < 2)
		send(node, !node->rank, 10);
	wait_until(node, 5 * US);
	if (node->rank == 0)
		stn_transport_peer_del(node->transport, 1);
	wait_until(node, 50 * US);
	if (node->rank == 1)
		send(node, 0, 10);
	wait_until(node, MS);
}

static void
test_suspect(struct world *world)
{
	create(world, &topology, play_suspect);
	tap_ok(!run(world) && !world->nodes[0].handled,
	       "a living node that was deleted as a peer isn't heard");
	tap_ok(world->nodes[1].handled == 1 && world->nodes[0].errors == 1,
	       "it gets the messages that were on their way");
	tap_ok(!world->nodes[1].done, "its sends don't end");
	stn_transport_peer_del(world->nodes[1].transport, 0);
	tap_ok(world->nodes[1].done == 2 && world->nodes[1].errors == 2,
	       "until it deletes the other, too");
	clear(world);
}

static uint64_t
look_and_delete(void *arg)
{
	struct node *node = arg;

	if (node->looks++ == 0)
		stn_transport_peer_del(node->transport, 1);
	return STN_FOREVER;
}

/* A node deletes a peer inside its look. */
static void
play_look_delete(struct node *node)
{
	if (node->rank == 0) {
		send(node, 1, 10);
		stn_sim_attend(node->world->sim, 0, look_and_delete, node);
		while (!node->done)
			stn_sim_wait(node->world->sim, STN_FOREVER);
		wait_until(node, 5 * US);
	}
	stn_sim_attend(node->world->sim, node->rank, NULL, NULL);
}

static void
test_look_delete(struct world *world)
{
	create(world, &topology, play_look_delete);
	tap_ok(!run(world) && world->nodes[0].done == 1 &&
		       world->nodes[0].looks >= 2,
	       "a look may delete a peer, and is called again after that");
	clear(world);
}

/* Node 1 dies, at the barrier or before it. */
static void
play_barrier(struct node *node)
{
	struct stn_why why;

	for (int i = 0; i < 2; i++) {
		if (node->rank == 0)
			wait_until(node, (unsigned)(i + 1) * 2 * MS);
		if (stn_wireup_barrier(
			    stn_wireup_sim_of(node->world->wireup, node->rank),
			    &why))
			return;
	}
	node->done_at = now(node->world);
}

static void
play_late(struct node *node)
{
	if (node->rank == 1)
		wait_until(node, STN_SECOND_NS);
	play_barrier(node);
}

static void
test_barrier(struct world *world)
{
	create(world, &topology, play_barrier);
	stn_sim_at(world->sim, MS, kill_1, world);
	tap_ok(!run(world) && world->nodes[2].ended && !world->nodes[1].ended &&
		       world->nodes[2].done_at == 4 * MS,
	       "a node that dies at a barrier doesn't count there");
	clear(world);
	create(world, &topology, play_late);
	stn_sim_at(world->sim, 3 * MS, kill_1, world);
	tap_ok(!run(world) && world->nodes[3].ended &&
		       world->nodes[3].done_at == 4 * MS,
	       "the others pass the barrier when the last missing node dies");
	clear(world);
}

int
main(void)
{
	struct world world;

	tap_begin();
	test_calls(&world);
	test_kill(&world);
	test_nobody(&world);
	test_crossing(&world);
	test_delete(&world);
	test_suspect(&world);
	test_look_delete(&world);
	test_barrier(&world);
	return tap_end();
}
