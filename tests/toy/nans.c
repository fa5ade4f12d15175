/*
 * nans.c: grids with values that are no numbers. Sweeps spread them as plain
 * loops do, STN_SUM keeps them, and STN_MAX ignores parts that have one, unless
 * all have.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sateen_parts.h>

#define ROWS 40
#define COLUMNS 30
#define PART_ROWS 7
#define PART_COLUMNS 8
#define SWEEPS 3

static double
first_value(long i, long j, long all)
{
	if (all || (i == 17 && j == 5) || (i == 2 && j == 12))
		return NAN;
	return 9 - 0.001 * (double)(i * COLUMNS + j);
}

static double
average(const double *at, long stride)
{
	return 0.25 * (at[-stride] + at[stride] + at[-1] + at[1]);
}

/* The largest of @value and @so_far; NaN if one of them is. */
static double
larger(double value, double so_far)
{
	return value <= so_far || isnan(so_far) ? so_far : value;
}

STN_KERNEL(nans_begin, double, long, all)
{
	for (long i = 0; i < at->rows; i++)
		for (long j = 0; j < at->columns; j++)
			at->to[i * at->stride + j] =
				first_value(at->row + i, at->column + j, all);
}

STN_KERNEL(nans_average, double)
{
	for (long i = 0; i < at->rows; i++)
		for (long j = 0; j < at->columns; j++)
			at->to[i * at->stride + j] = average(
				at->from + i * at->stride + j, at->stride);
}

STN_MEASURE(nans_count, double)
{
	double count = 0;

	for (long i = 0; i < at->rows; i++)
		for (long j = 0; j < at->columns; j++)
			count += isnan(at->from[i * at->stride + j]) != 0;
	return count;
}

STN_MEASURE(nans_largest, double)
{
	double most = at->from[0];

	for (long i = 0; i < at->rows; i++)
		for (long j = 0; j < at->columns; j++)
			most = larger(at->from[i * at->stride + j], most);
	return most;
}

/* The same grid with its border, swept by plain loops. */
static double plain[2][ROWS + 2][COLUMNS + 2];

static double *
plain_sweeps(void)
{
	for (long i = 0; i < ROWS + 2; i++)
		for (long j = 0; j < COLUMNS + 2; j++)
			plain[0][i][j] = plain[1][i][j] =
				first_value(i - 1, j - 1, 0);
	for (long n = 0; n < SWEEPS; n++)
		for (long i = 1; i <= ROWS; i++)
			for (long j = 1; j <= COLUMNS; j++)
				plain[!(n % 2)][i][j] = average(
					&plain[n % 2][i][j], COLUMNS + 2);
	return &plain[SWEEPS % 2][1][1];
}

/* The largest value of all parts without a NaN, and the number of NaNs. */
static double
plain_largest(const double *values, double *count_p)
{
	double most = -INFINITY, count = 0;

	for (long row = 0; row < ROWS; row += PART_ROWS)
		for (long column = 0; column < COLUMNS;
		     column += PART_COLUMNS) {
			double of_part = -INFINITY;

			for (long i = row; i < row + PART_ROWS && i < ROWS; i++)
				for (long j = column;
				     j < column + PART_COLUMNS && j < COLUMNS;
				     j++) {
					double value =
						values[i * (COLUMNS + 2) + j];

					of_part = larger(value, of_part);
					count += isnan(value) != 0;
				}
			if (!isnan(of_part) && of_part > most)
				most = of_part;
		}
	*count_p = count;
	return most;
}

STN_MAIN(argc, argv)
{
	struct stn_parts *grid = STN_GRID(
		double, ROWS, COLUMNS, .halo = 1, .star = true, .block = 1,
		.part_rows = PART_ROWS, .part_columns = PART_COLUMNS);
	double most, count;
	int wrong;

	(void)argc;
	(void)argv;
	most = plain_largest(plain_sweeps(), &count);
	STN_FILL(grid, nans_begin, 0);
	STN_SWEEPS(grid, SWEEPS, nans_average);
	wrong = STN_SUM(grid, nans_count) != count ||
		STN_MAX(grid, nans_largest) != most ||
		!isnan(STN_SUM(grid, nans_largest));
	STN_FILL(grid, nans_begin, 1);
	wrong |= !isnan(STN_MAX(grid, nans_largest));
	printf("%g of %d points are no numbers: %s\n", count, ROWS * COLUMNS,
	       wrong ? "WRONG" : "right");
	return wrong;
}
