/*
 * tasklib_user: a program of two files that uses a library of tasks.
 *
 *	tasklib_user		prints "tasklib: all right, NODES"; NODES is
 *				"one process" or "several processes"
 */
#include <stdio.h>
#include <unistd.h>

#define STN_CHECK
#include "tasklib.h"

#define COUNT 40

/* tasklib_more.c */
void spawn_fibs(STN_FRAME, int count);

STN_TASK(long, user_both, int, n)
{
	STN_SPAWN(tasklib_fib, n);
	return STN_CALL(tasklib_fib, n) + STN_SYNC(tasklib_fib);
}

/* The sums of library calls, spawned in one file and synced in another. */
static bool
add_up(STN_FRAME)
{
	long total = 0;

	spawn_fibs(STN_PASS_FRAME, 20);
	STN_SPAWN(user_both, 15);
	total += STN_SYNC(user_both);
	for (int i = 0; i < 20; i++)
		total += STN_SYNC(tasklib_fib);
	return total == 2 * 610 + 10946 - 1;
}

static bool
fill(STN_FRAME)
{
	static int32_t numbers[COUNT][10];
	bool right = true;

	for (int i = 0; i < COUNT; i++)
		STN_SPAWN(tasklib_fill, STN_OUT(numbers[i], 10), i);
	for (int i = 0; i < COUNT; i++)
		STN_SYNC(tasklib_fill);
	for (int i = 0; i < COUNT; i++)
		for (int j = 0; j < 10; j++)
			right = right && numbers[i][j] == i + j;
	return right;
}

/* The library spawns these calls, and the program syncs them. */
static int
count_here(STN_FRAME)
{
	int here = 0;

	tasklib_spread(STN_PASS_FRAME, COUNT);
	for (int i = 0; i < COUNT; i++)
		here += STN_SYNC(tasklib_where) == (int32_t)getpid();
	return here;
}

STN_MAIN(argc, argv)
{
	bool one, private_one;

	if (!add_up(STN_PASS_FRAME) || !fill(STN_PASS_FRAME))
		return 1;
	one = count_here(STN_PASS_FRAME) == COUNT;
	private_one = tasklib_count_here(STN_PASS_FRAME, COUNT) == COUNT;
	if (one != private_one)
		return 1;
	printf("tasklib: all right, %s\n",
	       one ? "one process" : "several processes");
	return 0;
}
