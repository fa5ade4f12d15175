/*
 * choose.c: which nodes are chosen at random, if only few of the ranks live.
 */
#include "tests/steal/balance_world.h"
#include "tests/tap.h"

/* The number of draws since the random numbers had the state @before. */
static unsigned
draws_since(const struct world *world, uint64_t before)
{
	struct stn_random random = { before };
	unsigned count = 0;

	while (random.state != world->random.state) {
		stn_random_next(&random);
		count++;
	}
	return count;
}

/* Of 64 ranks in two clusters nodes 3 and 40 live, and this node, 7. */
static void
test_few_live(void)
{
	unsigned counts[MOST_NODES] = { 0 }, most = 0;
	bool right = true;
	struct world world;

	init(&world, "rs", MOST_NODES, 2, 7);
	world.gone[0] =
		~(UINT64_C(1) << 3 | UINT64_C(1) << 7 | UINT64_C(1) << 40);
	world.members.living = 3;
	world.in_cluster[0] = 2;
	world.in_cluster[1] = 1;
	for (int i = 0; i < 2000; i++) {
		uint64_t before = world.random.state;
		unsigned draws;

		counts[stn_choose_other(&world.snapshot)]++;
		draws = draws_since(&world, before);
		most = draws > most ? draws : most;
		right = right && stn_choose_member(&world.snapshot, 0) == 3 &&
			stn_choose_member(&world.snapshot, 1) == 40 &&
			stn_choose_living(&world.snapshot, 0) == 40 &&
			stn_choose_remote(&world.snapshot) == 40;
	}
	tap_ok(counts[3] + counts[40] == 2000 && counts[3] > 900 &&
		       counts[40] > 900,
	       "if few ranks live, they are chosen equally often");
	tap_ok(most == STN_DRAWS + 1, "after %u draws at most: %u",
	       STN_DRAWS + 1, most);
	tap_ok(right, "also in one cluster, or outside one");
}

/* Of 64 clusters of one node each, that of this node, 7, and 40 live. */
static void
test_few_clusters(const char *name)
{
	unsigned most = 0;
	struct world world;
	bool right = true;

	init(&world, name, MOST_NODES, MOST_NODES, 7);
	world.gone[0] = ~(UINT64_C(1) << 7 | UINT64_C(1) << 40);
	world.members.living = world.members.clusters = 2;
	for (uint32_t i = 0; i < MOST_NODES; i++)
		world.in_cluster[i] = i == 7 || i == 40;
	for (int i = 0; i < 2000; i++) {
		uint64_t before = world.random.state;
		unsigned draws;

		right = right && idle(&world) == 1 &&
			world.moves.asks[0].victim == 40;
		draws = draws_since(&world, before);
		most = draws > most ? draws : most;
		refuse(&world, &world.moves.asks[0]);
	}
	tap_ok(right && most <= STN_DRAWS + 2,
	       "%s finds the only other cluster after %u draws at most: %u",
	       name, STN_DRAWS + 2, most);
}

int
main(void)
{
	tap_begin();
	test_few_live();
	test_few_clusters("crs");
	test_few_clusters("chs");
	return tap_end();
}
