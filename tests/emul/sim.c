/*
 * sim.c: the simulator, with one thread and with two. Each test gives the nodes
 * a short main function, a play, and checks by arithmetic at what virtual times
 * its events happened.
 */
#include "tests/emul/sim_world.h"

static void
play_message(struct node *node)
{
	if (node->rank == 0)
		send(node, 1, 1000);
	if (node->rank == 1)
		wait_for(node, 1);
}

static void
test_message(struct world *world)
{
	enum stn_err err = perform(world, US, play_message);

	tap_ok(!err && world->nodes[1].handled[0] == 13 * US &&
		       world->nodes[1].sizes[0] == 1000,
	       "1000 bytes at 1 GB/s, 10 us of latency, and twice 1 us of "
	       "overhead take 13 us");
	tap_ok(world->nodes[1].end == 13 * US && world->nodes[2].end == 0,
	       "a node that waits goes on when the message arrives; one that "
	       "doesn't ends at once");
	clear(world);
}

static void
play_computing(struct node *node)
{
	if (node->rank == 0)
		send(node, 1, 0);
	if (node->rank == 1)
		stn_sim_spend(node->sim, MS);
}

static void
test_computing(struct world *world)
{
	enum stn_err err = perform(world, US, play_computing);

	tap_ok(!err && world->nodes[1].handled[0] == 12 * US,
	       "a node that computes for 1 ms handles a message at its "
	       "arrival");
	tap_ok(world->nodes[1].end == MS + US,
	       "the message's overhead makes it compute 1 us longer");
	clear(world);
}

static void
play_order(struct node *node)
{
	if (node->rank == 0) {
		send(node, 1, 50000);
		send(node, 1, 0);
		stn_sim_wait(node->sim, STN_SECOND_NS);
	}
	if (node->rank == 1)
		wait_for(node, 2);
}

static void
test_order(struct world *world)
{
	enum stn_err err = perform(world, 0, play_order);
	const struct node *node = &world->nodes[1];

	tap_ok(!err && node->sizes[0] == 50000 && node->sizes[1] == 0 &&
		       node->handled[0] == 60 * US,
	       "a small message doesn't overtake a large one");
	tap_ok(world->nodes[0].done[0] == 60 * US &&
		       world->nodes[0].end == STN_SECOND_NS,
	       "a send ends when its message arrives; a wait ends at its time");
	clear(world);
}

static uint64_t
look(void *arg)
{
	struct node *node = arg;

	if (node->looked < 3 * MS)
		node->looked = now(node);
	return node->looked < 3 * MS ? 3 * MS : STN_FOREVER;
}

static void
play_barrier(struct node *node)
{
	struct stn_why why;

	stn_sim_attend(node->sim, node->rank, look, node);
	stn_sim_spend(node->sim, node->rank * MS);
	for (int i = 0; i < 2; i++)
		if (stn_wireup_barrier(
			    stn_wireup_sim_of(node->world->wireup, node->rank),
			    &why))
			return;
}

/*
 * The last node arrives at 3 ms. It tells node 0, which tells all, in 100 ms
 * each.
 */
static void
test_barrier(struct world *world)
{
	enum stn_err err = perform(world, 0, play_barrier);
	bool all = true;

	for (uint32_t i = 0; i < NODES; i++)
		all = all && world->nodes[i].end == 403 * MS &&
		      world->nodes[i].looked == 3 * MS;
	tap_ok(!err && all, "all nodes pass the barrier together, and each "
			    "look runs at the time it asked for");
	clear(world);
}

static void
play_for_ever(struct node *node)
{
	if (node->rank == 3)
		wait_for(node, 1);
}

/* Node 1 waits in steps: each notes its time, up to the fifth. */
static bool
step(void *arg, uint64_t *until_ns)
{
	struct node *node = arg;

	node->done[node->done_count++] = now(node);
	*until_ns = now(node) + MS;
	return node->done_count < 5;
}

static void
play_steps(struct node *node)
{
	if (!node->rank)
		send(node, 1, 0);
	else if (node->rank == 1)
		stn_sim_steps(node->sim, step, node);
}

/*
 * The message arrives after 11 us and is handled until 12 us; then the node
 * still has to spend nothing, as it had time for that while it waited.
 */
static void
test_steps(struct world *world)
{
	const struct node *node = &world->nodes[1];
	enum stn_err err = perform(world, US, play_steps);

	tap_ok(!err && node->done_count == 5 && !node->done[0] &&
		       node->done[1] == 12 * US && node->done[2] == 1012 * US &&
		       node->done[4] == node->end,
	       "a step is made at once, when a message wakes the node, and "
	       "when its wait is over; the last one ends the steps");
	clear(world);
}

static void
send_aside(void *arg)
{
	struct node *node = arg;

	node->looked = (uint64_t)(uintptr_t)__builtin_frame_address(0);
	send(node, 1, 1000);
}

/* Node 0 has an address on its own stack as the size of its first message. */
static void
play_aside(struct node *node)
{
	if (!node->rank) {
		node->sizes[0] = (size_t)(uintptr_t)__builtin_frame_address(0);
		stn_sim_aside(node->sim, send_aside, node);
		node->sizes[1] = stn_sim_running(node->sim);
		stn_sim_aside(node->sim, send_aside, node);
		stn_sim_spend(node->sim, MS);
	} else if (node->rank == 1) {
		wait_for(node, 2);
	}
}

static void
test_aside(struct world *world)
{
	enum stn_err err = perform(world, US, play_aside);
	const struct node *node = &world->nodes[0];
	uint64_t apart = node->looked > node->sizes[0]
				 ? node->looked - node->sizes[0]
				 : node->sizes[0] - node->looked;

	tap_ok(!err && apart > 1 << 20 && !node->sizes[1],
	       "a call aside runs on another stack, and the node goes on");
	tap_ok(world->nodes[1].handled[0] == 13 * US &&
		       world->nodes[1].handled[1] == 14 * US &&
		       node->end == MS + 2 * US,
	       "its messages cost what those of the node do");
	clear(world);
}

static void
note_call(void *arg)
{
	struct node *node = arg;

	node->looked = now(node);
	stn_sim_wake(node->sim, node->rank);
}

static void
play_tell(struct node *node)
{
	struct world *world = node->world;
	uint32_t other = (node->rank + 2) % NODES;

	stn_sim_spend(node->sim, node->rank * MS);
	stn_sim_tell(node->sim, node->rank, other, note_call,
		     &world->nodes[other]);
	while (!node->looked)
		stn_sim_wait(node->sim, STN_FOREVER);
}

static void
test_tell(struct world *world)
{
	bool all = !perform(world, 0, play_tell);

	for (uint32_t i = 0; i < NODES; i++)
		all = all &&
		      world->nodes[i].looked == (i + 2) % NODES * MS + 100 * MS;
	tap_ok(all, "a call for another cluster comes after the latency");
	clear(world);
}

static void
test_for_ever(struct world *world)
{
	tap_ok(perform(world, 0, play_for_ever) == STN_LOST,
	       "if the only node left waits forever, the run ends with "
	       "STN_LOST");
	clear(world);
}

int
main(void)
{
	struct world world;

	tap_begin();
	for (threads = 1; threads <= 2; threads++) {
		test_message(&world);
		test_computing(&world);
		test_order(&world);
		test_barrier(&world);
		test_steps(&world);
		test_aside(&world);
		test_tell(&world);
		test_for_ever(&world);
	}
	return tap_end();
}
