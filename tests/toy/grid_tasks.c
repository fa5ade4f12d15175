/*
 * grid_tasks.c: tasks that use grids. Tasks at all places of a tree make grids
 * of their own at the same time, and sweep grids of their parents.
 *
 *	grid_tasks [DEPTH [own | lend | get | twice | free | again | lost]]
 *
 * own: tasks use only grids of their own. lend: no grid is main's. get: main
 * gets the points of a grid before it sweeps the grid. The others are mistakes
 * that end the run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sateen_parts.h>

#include "tests/toy/average.h"

#define ROWS 12
#define COLUMNS 10

STN_KERNEL(begin, double, long, salt)
{
	for (long i = 0; i < at->rows; i++)
		for (long j = 0; j < at->columns; j++)
			at->to[i * at->stride + j] =
				(double)(((at->row + i) * 7 + at->column + j +
					  salt) %
					 64);
}

static struct stn_parts *
make_grid(STN_FRAME, long salt)
{
	struct stn_parts *grid =
		STN_GRID(double, ROWS, COLUMNS, .halo = 1, .part_rows = 4);

	STN_FILL(grid, begin, salt);
	return grid;
}

STN_TASK_FORWARD(double, use, uint64_t, handle, long, depth);

/* Two grids, each of which is given to a task. */
static double
use_two(STN_FRAME, long depth)
{
	struct stn_parts *a = make_grid(STN_PASS_FRAME, depth);
	struct stn_parts *b = make_grid(STN_PASS_FRAME, depth + 3);
	double sum;

	STN_SPAWN(use, STN_HANDLE(a), depth);
	STN_SPAWN(use, STN_HANDLE(b), depth);
	sum = STN_SYNC(use);
	sum += STN_SYNC(use);
	sum += STN_SUM(a, total) + STN_SUM(b, total);
	STN_GRID_FREE(a);
	STN_GRID_FREE(b);
	return sum;
}

STN_TASK_BODY(double, use, uint64_t, handle, long, depth)
{
	STN_SWEEPS(STN_GRID_OF(handle), 2, average);
	return depth ? use_two(STN_PASS_FRAME, depth - 1) : 0;
}

/* A grid of a task is used by another one, which no node can steal. */
STN_TASK(double, lend, long, depth)
{
	struct stn_parts *grid = make_grid(STN_PASS_FRAME, depth);

	STN_CALL(use, STN_HANDLE(grid), 0);
	return STN_SUM(grid, total);
}

/* Each leaf of a tree of calls makes a grid. */
STN_TASK(double, use_own, long, depth)
{
	struct stn_parts *grid;
	double sum;

	if (depth) {
		STN_SPAWN(use_own, depth - 1);
		STN_SPAWN(use_own, depth - 1);
		sum = STN_SYNC(use_own);
		return sum + STN_SYNC(use_own);
	}
	grid = make_grid(STN_PASS_FRAME, 0);
	STN_SWEEPS(grid, 2, average);
	sum = STN_SUM(grid, total);
	STN_GRID_FREE(grid);
	return sum;
}

/* The sum of a grid after two sweeps, by plain loops. */
static double
sum_plainly(long salt)
{
	double x[3][ROWS + 2][COLUMNS + 2], sum = 0;

	for (int n = 0; n < 3; n++)
		for (long i = 0; i < ROWS + 2; i++)
			for (long j = 0; j < COLUMNS + 2; j++)
				x[n][i][j] =
					(double)(((i - 1) * 7 + j - 1 + salt) %
						 64);
	for (int n = 1; n < 3; n++)
		for (long i = 1; i <= ROWS; i++)
			for (long j = 1; j <= COLUMNS; j++)
				x[n][i][j] = (x[n - 1][i - 1][j] +
					      x[n - 1][i + 1][j] +
					      x[n - 1][i][j - 1] +
					      x[n - 1][i][j + 1]) /
					     4;
	for (long i = 1; i <= ROWS; i++)
		for (long j = 1; j <= COLUMNS; j++)
			sum += x[2][i][j];
	return sum;
}

static double
all_plainly(long depth)
{
	double sum = sum_plainly(depth) + sum_plainly(depth + 3);

	return depth ? sum + 2 * all_plainly(depth - 1) : sum;
}

STN_TASK_VOID(sweep_long, uint64_t, handle)
{
	STN_SWEEPS(STN_GRID_OF(handle), 1000000000, average);
}

STN_TASK_VOID(free_grid, uint64_t, handle)
{
	STN_GRID_FREE(STN_GRID_OF(handle));
}

static void
make_mistake(STN_FRAME, const char *mistake)
{
	struct stn_parts *grid = make_grid(STN_PASS_FRAME, 0);
	uint64_t handle = STN_HANDLE(grid);

	if (!strcmp(mistake, "twice")) {
		STN_SPAWN(sweep_long, handle);
		STN_CALL(sweep_long, handle);
		STN_SYNC(sweep_long);
	} else if (!strcmp(mistake, "free")) {
		STN_SPAWN(free_grid, handle);
		STN_SYNC(free_grid);
		STN_SWEEP(grid, average);
	} else if (!strcmp(mistake, "again")) {
		STN_GRID_FREE(grid);
		STN_CALL(free_grid, handle);
	} else {
		STN_SWEEP(STN_GRID_OF(handle + 5), average);
	}
}

static double
sweep_behind_get(STN_FRAME)
{
	struct stn_parts *grid = make_grid(STN_PASS_FRAME, 0);
	double points[ROWS * COLUMNS];

	STN_GET(grid, 0, points);
	STN_SWEEPS(grid, 2, average);
	return STN_SUM(grid, total);
}

STN_MAIN(argc, argv)
{
	long depth = argc > 1 ? atol(argv[1]) : 3;
	double sum;

	if (argc > 2 && !strcmp(argv[2], "own")) {
		sum = STN_CALL(use_own, depth);
		printf("grids of tasks: %s\n",
		       sum == (double)(1L << depth) * sum_plainly(0) ? "right"
								      : "WRONG");
		return 0;
	}
	if (argc > 2 && (!strcmp(argv[2], "get") || !strcmp(argv[2], "lend"))) {
		sum = *argv[2] == 'g' ? sweep_behind_get(STN_PASS_FRAME)
				      : STN_CALL(lend, 0);
		printf("grids of tasks: %s\n",
		       sum == sum_plainly(0) ? "right" : "WRONG");
		return 0;
	}
	if (argc > 2) {
		make_mistake(STN_PASS_FRAME, argv[2]);
		return 0;
	}
	sum = use_two(STN_PASS_FRAME, depth);
	printf("grids of tasks: %s\n",
	       sum == all_plainly(depth) ? "right" : "WRONG");
	return 0;
}
