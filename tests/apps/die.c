/*
 * die: a Sateen program that fails in a given way; the tests check what the
 * launcher then reports.
 *
 *	die abroad	a stolen call kills its process
 *	die main	node 0's main calls exit(7)
 *	die unsynced	a task returns before its sync
 *	die bare	a sync without a spawn
 *	die crossed	syncs in the order of the spawns
 *	die deep	recurses without end
 *	die long	a loop has a buffer with too many rows
 *	die wait	says "ready" on stdout, then runs until it is killed
 *	die return	node 0's main returns 5
 *
 * Each process appends its number to the file that the environment variable
 * DIE_PIDS names.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define STN_CHECK /* otherwise `crossed` may go unnoticed */
#include <sateen.h>

static void note_process(void) __attribute__((constructor));

static void
note_process(void)
{
	const char *name = getenv("DIE_PIDS");
	FILE *file = name ? fopen(name, "a") : NULL;

	if (!file)
		return;
	fprintf(file, "%d\n", (int)getpid());
	fclose(file);
}

STN_TASK(int, victim, int, home)
{
	struct timespec leaf = { 0, 1000000 };

	if (getpid() != home)
		raise(SIGKILL);
	nanosleep(&leaf, NULL);
	return 1;
}

STN_TASK(int, harmless)
{
	return 1;
}

STN_TASK(int, careless)
{
	STN_SPAWN(victim, getpid());
	return 1;
}

STN_TASK(long, deep, long, n)
{
	volatile char room[200];

	room[0] = (char)n;
	STN_SPAWN(deep, n + 1);
	return STN_SYNC(deep) + room[0];
}

STN_TASK_FOR(number, i, struct stn_out, row)
{
	*(int *)row.at = (int)i;
}

static int
number_all(STN_FRAME)
{
	int rows[5];

	STN_FOR(number, 0, 4, STN_OUT_ROWS(rows, 5, 1, 1));
	return rows[0];
}

static int
run(STN_FRAME, const char *how)
{
	for (int i = 0; i < 20000; i++)
		STN_SPAWN(victim, getpid());
	for (int i = 0; i < 20000; i++)
		STN_SYNC(victim);
	fprintf(stderr, "die: nobody stole anything (%s)\n", how);
	return 3;
}

STN_MAIN(argc, argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	switch (*how) {
	case 'a':
		return run(STN_PASS_FRAME, how);
	case 'm':
		exit(7);
	case 'u':
		return STN_CALL(careless);
	case 'b':
		return STN_SYNC(victim);
	case 'c':
		STN_SPAWN(harmless);
		STN_SPAWN(victim, getpid());
		return STN_SYNC(harmless) + STN_SYNC(victim);
	case 'd':
		return (int)STN_CALL(deep, 0);
	case 'l':
		return number_all(STN_PASS_FRAME);
	case 'w':
		puts("ready");
		fflush(stdout);
		for (;;)
			pause();
	}
	return 5;
}
