/*
 * plain.c: the yardsticks of bench-parts: the loops of loops.h over whole
 * arrays. Each thread sweeps the rows that it has touched first.
 *
 *	bench_parts_plain jacobi | packed | interleaved ROWS COLUMNS SWEEPS
 *
 * Prints the wall time and the processor time of the sweeps in seconds, and a
 * sum of hashes of all points.
 */
#include "bench/parts/loops.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

struct plain;

struct way {
	const char *name;
	int packed; /* how many columns of the grid share one of a layer, less 1
		     */
	int steps;  /* of a sweep: each goes over all rows */
	void (*step)(const struct plain *plain, long first, long rows,
		     int step);
};

/* Rows -1 and @rows, and columns -1 and @columns, are the edge. */
struct plain {
	const struct way *way;
	long rows, columns, stride; /* of a layer */
	double *layers[2];
};

static double *
row_of(const struct plain *plain, int layer, long row)
{
	return plain->layers[layer] + (row + 1) * plain->stride + 1;
}

/* The column in the grid of point @k of a row of a layer. */
static long
column_of(const struct plain *plain, int layer, long row, long k)
{
	return plain->way->packed ? 2 * k + ((row + layer) & 1) : k;
}

static void
jacobi_step(const struct plain *plain, long first, long rows, int step)
{
	jacobi_loop(row_of(plain, !(step & 1), first),
		    row_of(plain, step & 1, first), rows, plain->columns,
		    plain->stride);
}

static void
packed_step(const struct plain *plain, long first, long rows, int step)
{
	int colour = step & 1;

	packed_loop(row_of(plain, colour, first), row_of(plain, !colour, first),
		    rows, plain->columns, plain->stride, (first + colour) & 1);
}

static void
interleaved_step(const struct plain *plain, long first, long rows, int step)
{
	interleaved_loop(row_of(plain, 0, first), rows, plain->columns,
			 plain->stride, (first + step) & 1);
}

static const struct way ways[] = {
	{ "jacobi", 0, 1, jacobi_step },
	{ "packed", 1, 2, packed_step },
	{ "interleaved", 0, 2, interleaved_step },
};

static long
begin_of(const struct plain *plain, int thread)
{
	return plain->rows * thread / omp_get_max_threads();
}

static void
sweep(const struct plain *plain, int sweeps)
{
	for (int step = 0; step < sweeps * plain->way->steps; step++)
#pragma omp parallel for schedule(static)
		for (int i = 0; i < omp_get_max_threads(); i++)
			plain->way->step(plain, begin_of(plain, i),
					 begin_of(plain, i + 1) -
						 begin_of(plain, i),
					 step);
}

static void
fill_row(const struct plain *plain, long row)
{
	for (int layer = 0; layer < 2; layer++)
		for (long k = -1; k <= plain->columns; k++)
			row_of(plain, layer, row)[k] = first_value(
				row, column_of(plain, layer, row, k));
}

static void
fill(const struct plain *plain)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < omp_get_max_threads(); i++)
		for (long row = begin_of(plain, i);
		     row < begin_of(plain, i + 1); row++)
			fill_row(plain, row);
	fill_row(plain, -1);
	fill_row(plain, plain->rows);
}

static uint64_t
hash(const struct plain *plain)
{
	int layers = plain->way->packed ? 2 : 1;
	uint64_t sum = 0;

	/* After an even number of sweeps, Jacobi's values are in layer 0. */
	for (int layer = 0; layer < layers; layer++)
		for (long row = 0; row < plain->rows; row++)
			for (long k = 0; k < plain->columns; k++)
				sum += point_hash(
					row_of(plain, layer, row)[k], row,
					column_of(plain, layer, row, k));
	return sum;
}

int
main(int argc, char **argv)
{
	size_t which = 0, ways_count = sizeof(ways) / sizeof(ways[0]);
	struct plain plain;
	double wall, processor;
	size_t points;

	while (argc == 5 && which < ways_count &&
	       strcmp(ways[which].name, argv[1]))
		which++;
	if (argc != 5 || which == ways_count)
		return 2;
	plain.way = &ways[which];
	plain.rows = atol(argv[2]);
	plain.columns = atol(argv[3]) / (plain.way->packed + 1);
	plain.stride = plain.columns + 2;
	points = (size_t)(plain.rows + 2) * (size_t)plain.stride;
	for (int i = 0; i < 2; i++)
		if (!(plain.layers[i] = malloc(points * sizeof(double))))
			return 1;
	fill(&plain);
	sweep(&plain, SWEEPS_BEFORE);
	wall = seconds_of(CLOCK_MONOTONIC);
	processor = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
	sweep(&plain, atoi(argv[4]));
	processor = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - processor;
	wall = seconds_of(CLOCK_MONOTONIC) - wall;
	printf("%.6f %.6f %.0f\n", wall, processor, (double)hash(&plain));
	return 0;
}
