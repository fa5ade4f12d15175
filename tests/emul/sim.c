/*
 * sim.c: the simulator, with one thread and with two. Each test gives the nodes
 * a short main function, a play, and checks by arithmetic at what virtual times
 * its events happened.
 */
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
static const struct stn_link jittery = { .latency_ns = 100 * MS,
					 .bytes_per_s = 100000,
					 .jitter_ns = 30 * MS };

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

static void
play_queue(struct node *node)
{
	if (node->rank < 2)
		send(node, 2, 500);
	if (node->rank == 2)
		wait_for(node, 2);
	if (node->rank == 3)
		send(node, 1, 500);
}

static void
test_queue(struct world *world)
{
	enum stn_err err = perform(world, 0, play_queue);

	tap_ok(!err && world->nodes[2].handled[0] == 105 * MS &&
		       world->nodes[2].handled[1] == 110 * MS,
	       "the messages of two nodes queue for the link that they share");
	tap_ok(world->nodes[1].handled[0] == 105 * MS,
	       "a message in the other direction doesn't queue");
	clear(world);
}

/*
 * The arrivals of two messages sent at once to node 2 over a link with jitter.
 */
static bool
times_with(uint64_t seed, uint64_t times[2])
{
	struct stn_link_queue queues[4] = { 0 };
	const struct stn_topology topology = { .nodes = NODES,
					       .clusters = 2,
					       .wan = jittery,
					       .seed = seed,
					       .queues = queues };
	struct world world;
	bool ended = !perform_on(&world, topology, 0, play_queue);

	memcpy(times, world.nodes[2].handled, 2 * sizeof(times[0]));
	clear(&world);
	return ended;
}

static void
test_jitter(void)
{
	uint64_t times[2], again[2];
	bool differ = false, right = true;

	for (uint64_t seed = 1; seed <= 100; seed++) {
		right = right && times_with(seed, times) &&
			times_with(seed, again) &&
			!memcmp(times, again, sizeof(times)) &&
			times[0] >= 105 * MS && times[0] <= 135 * MS &&
			times[1] >= 110 * MS && times[1] <= 140 * MS &&
			times[1] >= times[0];
		differ = differ || times[1] - times[0] != 5 * MS;
	}
	tap_ok(right && differ,
	       "jitter delays messages by up to 30 ms, keeps their order, and "
	       "is the same for the same seed");
}

/* Sending of the second message begins at 5 ms, when the first has left. */
static void
test_schedule(void)
{
	struct stn_link links[2 * 4] = { [1] = wan,
					 [4 + 1] = { .latency_ns = 10 * MS,
						     .bytes_per_s = 1000000 } };
	uint64_t starts[2] = { 0, 5 * MS };
	struct stn_link_queue queues[4] = { 0 };
	struct stn_topology topology = { .nodes = NODES,
					 .clusters = 2,
					 .links = links,
					 .starts_ns = starts,
					 .sections = 2,
					 .queues = queues };
	struct world world;
	const struct node *node = &world.nodes[2];

	tap_ok(!perform_on(&world, topology, 0, play_queue) &&
		       node->handled[0] == 105 * MS &&
		       node->handled[1] == 105 * MS,
	       "if the link gets better, the second message, due at 15.5 ms, "
	       "still waits for the first");
	clear(&world);
	links[4 + 1] = (struct stn_link){ .latency_ns = 200 * MS,
					  .bytes_per_s = 1000 };
	memset(queues, 0, sizeof(queues));
	tap_ok(!perform_on(&world, topology, 0, play_queue) &&
		       node->handled[1] == (5 + 500 + 200) * MS,
	       "if the link gets worse, the second message takes the new "
	       "latency and rate");
	clear(&world);
	starts[1]++;
	memset(queues, 0, sizeof(queues));
	tap_ok(!perform_on(&world, topology, 0, play_queue) &&
		       node->handled[1] == 110 * MS,
	       "if it changes a nanosecond later, the second message doesn't "
	       "see the change");
	clear(&world);
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
		test_queue(&world);
		test_jitter();
		test_schedule();
		test_barrier(&world);
		test_steps(&world);
		test_tell(&world);
		test_for_ever(&world);
	}
	return tap_end();
}
