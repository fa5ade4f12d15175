/*
 * cells_freed.c: main makes arrays of cells one after the other, gives each its
 * records, and frees it. If the root dies, main runs again, and gives the same
 * records to arrays that have been freed. Prints a sum at the end.
 *
 *	cells_freed [ARRAYS [task]]
 *
 * task: a task gives the records, on another node if there is one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sateen_cells.h>

#define DOTS 500

struct dot {
	double at[3], value;
};

STN_CELLS_KERNEL(freed_sweep, struct dot)
{
	for (long i = 0; i < at->count; i++)
		at->records[i].value += at->records[i].at[0];
	at->work += (uint64_t)at->count;
}

STN_CELLS_MEASURE(freed_sum, struct dot)
{
	double sum = 0;

	for (long i = 0; i < at->count; i++)
		sum += at->records[i].value;
	return sum;
}

static void
give(STN_FRAME, struct stn_parts *dots, long number)
{
	struct dot given[DOTS];

	for (long i = 0; i < DOTS; i++)
		given[i] = (struct dot){ { (double)(i * number % DOTS),
					   (double)(i % 20), (double)i },
					 (double)number };
	STN_CELLS_PUT(dots, given);
}

STN_TASK_VOID(give_task, uint64_t, handle, long, number)
{
	give(STN_PASS_FRAME, STN_GRID_OF(handle), number);
}

static double
sum_of_array(STN_FRAME, long number, bool by_task)
{
	struct stn_parts *dots =
		STN_CELLS(struct dot, DOTS, .place = offsetof(struct dot, at),
			  .most = 20);
	double sum;

	if (by_task) {
		STN_SPAWN(give_task, STN_HANDLE(dots), number);
		STN_SLEEP(20000000); /* other nodes steal it */
		STN_SYNC(give_task);
	} else {
		give(STN_PASS_FRAME, dots, number);
	}
	for (int i = 0; i < 5; i++)
		STN_CELLS_SWEEP(dots, freed_sweep);
	sum = STN_CELLS_SUM(dots, freed_sum);
	STN_GRID_FREE(dots);
	return sum;
}

STN_MAIN(argc, argv)
{
	long arrays = argc > 1 ? atol(argv[1]) : 5;
	bool by_task = argc > 2 && !strcmp(argv[2], "task");
	double sum = 0;

	for (long i = 0; i < arrays; i++)
		sum += sum_of_array(STN_PASS_FRAME, i, by_task);
	printf("sum = %.17g\n", sum);
	return 0;
}
