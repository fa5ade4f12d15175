/*
 * grid_calls.c: all calls of <sateen_parts.h>, in C and in C++20. Prints sums
 * that are known, and the type of number of each grid.
 *
 *	grid_calls [FILE]
 */
#include <stdio.h>
#include <sateen_parts.h>

struct pair {
	double a, b;
};

STN_KERNEL(begin, double)
{
	for (long i = 0; i < at->rows; i++)
		for (long j = 0; j < at->columns; j++)
			at->to[i * at->stride + j] =
				(double)(at->row + i + at->column + j);
}

STN_KERNEL(reflect, double, long, size)
{
	for (long i = 0; i < at->rows; i++)
		for (long j = 0; j < at->columns; j++)
			at->to[i * at->stride + j] =
				*STN_POINT(at, 0, STN_INSIDE(at->row + i, size),
					   STN_INSIDE(at->column + j, size));
}

/* Keeps the sum, because nothing flows through the edge. */
STN_KERNEL(spread, double, double, rate)
{
	for (long i = 0; i < at->rows; i++)
		for (long j = 0; j < at->columns; j++) {
			const double *x = at->from + i * at->stride + j;

			at->to[i * at->stride + j] =
				x[0] + rate * (x[-at->stride] + x[at->stride] +
					       x[-1] + x[1] - 4 * x[0]);
		}
}

STN_MEASURE(total, double)
{
	double sum = 0;

	for (long i = 0; i < at->rows; i++)
		for (long j = 0; j < at->columns; j++)
			sum += at->from[i * at->stride + j];
	return sum;
}

STN_TASK(double, spread_all, uint64_t, handle, long, count)
{
	struct stn_parts *grid = STN_GRID_OF(handle);

	STN_SWEEPS(grid, count, spread, 0.125);
	return STN_SUM(grid, total);
}

STN_MAIN(argc, argv)
{
	struct stn_parts *grid =
		STN_GRID(double, 8, 8, .halo = 1, .part_rows = 3);
	struct stn_parts *solid = STN_GRID_3D(struct pair, 2, 3, 4);
	double points[64], sum = 0;

	STN_BOUNDARY(grid, reflect, 8L);
	STN_FILL(grid, begin);
	STN_SPAWN(spread_all, STN_HANDLE(grid), 5);
	printf("%g\n", STN_SYNC(spread_all));
	if (argc > 1) {
		STN_WRITE(grid, argv[1], "u");
		STN_SWEEP(grid, spread, 0.25);
		STN_READ(grid, argv[1], "u");
	}
	STN_GET(grid, 0, points);
	for (int i = 0; i < 64; i++)
		sum += points[i];
	printf("%g %g\n", sum, STN_MAX(grid, total));
	STN_GRID_FREE(grid);
	STN_GRID_FREE(solid);
	printf("%d %d %d %d\n", (int)STN_NUMBER_OF_(double),
	       (int)STN_NUMBER_OF_(unsigned char), (int)STN_NUMBER_OF_(long),
	       (int)STN_NUMBER_OF_(struct pair));
	return 0;
}
