/*
 * balance_leaving.c: what CLS and CHS decide when nodes are told to leave.
 */
#include "tests/steal/balance_world.h"
#include "tests/tap.h"

/* Node @rank is told to leave. */
static void
leave(struct world *world, uint32_t rank)
{
	stn_members_leave(&world->members, rank);
	world->balancer->died(world->state, &world->snapshot, rank);
}

static void
test_cls_leaving(void)
{
	struct world world;

	init(&world, "cls", 16, 4, 5);
	tick(&world, 3);
	leave(&world, 4);
	tick(&world, 3);
	tap_ok(world.moves.tell == STN_NOBODY && world.moves.ask_count == 1,
	       "if the coordinator leaves, the next node asks other clusters");
	init(&world, "cls", 16, 4, 6);
	tick(&world, 3);
	leave(&world, 4);
	tick(&world, 3);
	tap_ok(world.moves.tell == 5, "the others tell that node their loads");
	init(&world, "cls", 16, 4, 5);
	set(&world, "--cls-threshold", "10");
	tap_ok(!tell(&world, 6, 10) && !world.moves.ask_count,
	       "a load may come before the node knows that it coordinates");
	leave(&world, 4);
	tick(&world, 0);
	tap_ok(!world.moves.ask_count, "and counts from then on");
}

/* The nodes that the balancer asks, one after the other, until it fails. */
static unsigned
ask_all(struct world *world, uint32_t asks[MOST_NODES])
{
	unsigned count = 0;

	for (idle(world); world->moves.ask_count; search_on(world)) {
		asks[count++] = asked(world);
		if (!refuse(world, &world->moves.asks[0]))
			break;
	}
	return count;
}

/*
 * Of a cluster of the nodes 7 to 13, nodes 7 and 9 leave:
 *
 *	      8          0
 *	  10     11     ...
 *	12 13
 */
static void
test_chs_leaving(void)
{
	uint32_t asks[MOST_NODES];
	struct world world;
	unsigned count;

	init(&world, "chs", 14, 2, 10);
	leave(&world, 7);
	leave(&world, 9);
	count = ask_all(&world, asks);
	tap_ok(count == 4 && asks[0] == 12 && asks[1] == 13 && asks[2] == 9 &&
		       asks[3] == 8,
	       "nodes of CHS that leave are nobody's parent, and are asked");
	world.snapshot.rank = 8;
	count = ask_all(&world, asks);
	tap_ok(count == 4 && asks[0] == 10 && asks[1] == 11 && asks[2] == 7 &&
		       asks[3] == 0,
	       "the lowest node that stays is the root");
	leave(&world, 0);
	count = ask_all(&world, asks);
	tap_ok(count == 4 && asks[3] == 1, "of the other cluster, too");
	for (uint32_t i = 1; i < 7; i++)
		leave(&world, i);
	count = ask_all(&world, asks);
	tap_ok(count == 4 && asks[3] == 0,
	       "of a cluster that leaves as a whole, it is the lowest");
}

int
main(void)
{
	tap_begin();
	test_cls_leaving();
	test_chs_leaving();
	return tap_end();
}
