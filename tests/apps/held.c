/*
 * held: visits trees whose leaves sleep, one tree after the other, until the file
 * exists that the environment variable HELD_UNTIL names. So a test decides when the
 * run may end, and neither a slow test nor a slow machine matters. A process that
 * visits a leaf makes a file, which is called like that one with .PID behind it.
 *
 *	held [DEPTH [US]]	each tree has 3^DEPTH leaves (5), which sleep for US
 *				microseconds (5000) on average
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define STN_CHECK /* also of calls whose results are reused */
#include <sateen.h>

enum { BRANCHES = 3, DEPTH_MOST = 12 };

/* Shows that this process has work, once. */
static void
show_work(void)
{
	static atomic_bool shown;
	const char *until = getenv("HELD_UNTIL");
	char name[300];
	FILE *made;

	if (!until || atomic_exchange(&shown, true))
		return;
	snprintf(name, sizeof(name), "%s.%d", until, (int)getpid());
	made = fopen(name, "w");
	if (made)
		fclose(made);
}

/* @place has the numbers of the tree and of the branches from its root to here. */
STN_TASK(int, visit, uint64_t, place, int32_t, depth, int32_t, us)
{
	int leaves = 0;

	if (!depth) {
		show_work();
		STN_SLEEP((uint64_t)us * (500 + place * 7919 % 1001));
		return 1;
	}
	for (int i = 0; i < BRANCHES; i++)
		STN_SPAWN(visit, place * BRANCHES + (uint64_t)i, depth - 1, us);
	for (int i = 0; i < BRANCHES; i++)
		leaves += STN_SYNC(visit);
	return leaves;
}

STN_MAIN(argc, argv)
{
	const char *until = getenv("HELD_UNTIL");
	int depth = argc > 1 ? atoi(argv[1]) : 5;
	int us = argc > 2 ? atoi(argv[2]) : 5000;
	int leaves = 1;
	uint64_t tree = 0;

	if (depth < 0 || depth > DEPTH_MOST || us < 0)
		return 2;
	for (int i = 0; i < depth; i++)
		leaves *= BRANCHES;
	do {
		int visited = STN_CALL(visit, tree, depth, us);

		if (visited != leaves)
			printf("tree %d has %d leaves\n", (int)tree, visited);
		tree++;
	} while (until && access(until, F_OK));
	printf("held: trees of %d leaves\n", leaves);
	return 0;
}
