/*
 * stolen.c: tasks of some 7 us, of which a second worker steals about half, for
 * trace-cost:
 *
 *	sateen run -n 1 --workers 2 ./bench_stolen TASKS
 */
#include <stdio.h>
#include <stdlib.h>

#include <sateen.h>

#define BATCH 8	     /* spawned at a time; the thief steals from the front */
#define ROUNDS 5000 /* of a task, dependent multiplications */

STN_TASK(unsigned, multiply, unsigned, seed)
{
	for (int i = 0; i < ROUNDS; i++)
		seed = seed * 1664525u + 1013904223u;
	return seed;
}

STN_TASK(unsigned, batches, long, count)
{
	unsigned sum = 0;

	for (long i = 0; i < count; i += BATCH) {
		for (unsigned j = 0; j < BATCH; j++)
			STN_SPAWN(multiply, j);
		for (int j = 0; j < BATCH; j++)
			sum += STN_SYNC(multiply);
	}
	return sum;
}

STN_MAIN(argc, argv)
{
	long count = argc == 2 ? atol(argv[1]) : 0;
	double begin = STN_SECONDS();
	unsigned sum;

	if (count <= 0) {
		fputs("usage: bench_stolen TASKS\n", stderr);
		return 2;
	}
	sum = STN_CALL(batches, count);
	printf("sum: %u\ntime: %.3f s\n", sum, STN_SECONDS() - begin);
	return 0;
}
