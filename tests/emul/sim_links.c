/*
 * sim_links.c: the links of the simulator, with one thread and with two: nodes
 * share them, they have jitter, and they change.
 */
#include "tests/emul/sim_world.h"

static const struct stn_link jittery = { .latency_ns = 100 * MS,
					 .bytes_per_s = 100000,
					 .jitter_ns = 30 * MS };

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

int
main(void)
{
	struct world world;

	tap_begin();
	for (threads = 1; threads <= 2; threads++) {
		test_queue(&world);
		test_jitter();
		test_schedule();
	}
	return tap_end();
}
