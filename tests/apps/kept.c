/*
 * kept: spawns short calls and one long call, and then computes for long without a
 * spawn, so that a thief gets them all. In virtual time a short call takes one unit
 * of work. The long one takes EARLY + LONG units, and spawns a call after EARLY.
 *
 *	kept [LONG [EARLY]]
 */
#include <stdio.h>
#include <stdlib.h>

#include <sateen.h>

enum { CALLS = 60, LONG_ONE = 12 };

STN_TASK(int, call, int, early, int, units)
{
	int calls = 1;

	if (early) {
		STN_WORK(early);
		STN_SPAWN(call, 0, 1);
	}
	STN_WORK(units);
	if (early)
		calls += STN_SYNC(call);
	return calls;
}

STN_MAIN(argc, argv)
{
	int length = argc > 1 ? atoi(argv[1]) : 0;
	int early = argc > 2 ? atoi(argv[2]) : 0;
	int calls = 0;

	for (int i = 0; i < CALLS; i++)
		STN_SPAWN(call, i == LONG_ONE ? early : 0,
			  i == LONG_ONE ? length : 1);
	STN_WORK(100000);
	for (int i = 0; i < CALLS; i++)
		calls += STN_SYNC(call);
	printf("%d calls\n", calls);
	return 0;
}
