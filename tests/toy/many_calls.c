/*
 * many_calls.c: a grid with so many calls that nodes forget the orders of the
 * first ones (parts/history.h).
 *
 *	many_calls [get | lend | pause]
 *
 * get: main gets the grid's points before the last calls. lend: a task makes
 * the first calls. pause: there are few calls, and main works for PAUSE units
 * before it frees the grid.
 */
#include <stdio.h>
#include <string.h>
#include <sateen_parts.h>

#include "tests/toy/average.h"

#define ROWS 12
#define COLUMNS 10
#define CALLS 4500
#define LAST 500
#define PAUSE 50000

STN_KERNEL(begin, double)
{
	for (long i = 0; i < at->rows; i++)
		for (long j = 0; j < at->columns; j++)
			at->to[i * at->stride + j] = (double)(at->row + i);
}

STN_KERNEL(edge, double)
{
	for (long i = 0; i < at->rows; i++)
		for (long j = 0; j < at->columns; j++)
			at->to[i * at->stride + j] = 64;
}

static void
sweep_often(STN_FRAME, struct stn_parts *grid, long calls)
{
	while (calls--)
		STN_SWEEP(grid, average);
}

STN_TASK_VOID(sweep_task, uint64_t, handle)
{
	sweep_often(STN_PASS_FRAME, STN_GRID_OF(handle), CALLS);
}

STN_MAIN(argc, argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	struct stn_parts *grid =
		STN_GRID(double, ROWS, COLUMNS, .halo = 1, .part_rows = 4);
	double first, points[ROWS * COLUMNS];

	STN_FILL(grid, begin);
	STN_SWEEP(grid, average);
	first = STN_SUM(grid, total);
	STN_BOUNDARY(grid, edge);
	if (!strcmp(how, "lend"))
		STN_CALL(sweep_task, STN_HANDLE(grid));
	else if (strcmp(how, "pause"))
		sweep_often(STN_PASS_FRAME, grid, CALLS);
	if (!strcmp(how, "get"))
		STN_GET(grid, 0, points);
	sweep_often(STN_PASS_FRAME, grid, LAST);
	printf("sums: %.17g %.17g\n", first, STN_SUM(grid, total));
	if (!strcmp(how, "pause"))
		STN_WORK(PAUSE);
	STN_GRID_FREE(grid);
	return 0;
}
