/*
 * ours.c: the same as plain.c, and the stencil of the Parallel Research
 *Kernels, with Sateen's arrays.
 *
 *	bench_parts jacobi | packed | stencil1 | stencil2 ROWS COLUMNS SWEEPS
 *		BLOCK
 *
 * BLOCK is 0 for the runtime's choice. stencil1 and stencil2 are stencils of
 * radius 1 and 2. They print the largest error of a point instead of hashes.
 */
#include "bench/parts/loops.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sateen_parts.h>

STN_KERNEL(jacobi_begin, double)
{
	for (long i = 0; i < at->rows; i++)
		for (long j = 0; j < at->columns; j++)
			at->to[i * at->stride + j] =
				first_value(at->row + i, at->column + j);
}

STN_KERNEL(jacobi_sweep, double)
{
	jacobi_loop(at->to, at->from, at->rows, at->columns, at->stride);
}

STN_MEASURE(jacobi_hash, double)
{
	uint64_t sum = 0;

	for (long i = 0; i < at->rows; i++)
		for (long j = 0; j < at->columns; j++)
			sum += point_hash(at->from[i * at->stride + j],
					  at->row + i, at->column + j);
	return (double)sum;
}

STN_KERNEL(packed_begin, double)
{
	for (long i = 0; i < at->rows; i++)
		for (long k = 0; k < at->columns; k++)
			at->to[i * at->stride + k] = first_value(
				at->row + i,
				at->column + 2 * k + STN_SHIFT(at, 0, i));
}

STN_KERNEL(packed_sweep, double)
{
	packed_loop(at->to, at->from, at->rows, at->columns, at->stride,
		    STN_SHIFT(at, 0, 0));
}

STN_MEASURE(packed_hash, double)
{
	uint64_t sum = 0;

	for (long i = 0; i < at->rows; i++)
		for (long j = 0; j < 2 * at->columns; j++) {
			int red = (j & 1) == STN_SHIFT(at, 0, i);
			const double *layer = red ? at->to : at->from;

			sum += point_hash(layer[i * at->stride + j / 2],
					  at->row + i, at->column + j);
		}
	return (double)sum;
}

/* A point of the stencil's input and of its output. */
struct cell {
	double in, out;
};

/* Sweeps points whose stencils are not whole inside the grid. */
static inline void
copy_cells(struct cell *to, const struct cell *from, long begin, long end)
{
	for (long j = begin; j < end; j++)
		to[j] = (struct cell){ from[j].in + 1, from[j].out };
}

static inline void
stencil_cells(struct cell *restrict to, const struct cell *restrict from,
	      long stride, long begin, long end, const long radius)
{
	for (long j = begin; j < end; j++) {
		double out = from[j].out;

		for (long k = 1; k <= radius; k++) {
			const double weight = 1.0 / (double)(2 * k * radius);

			out += weight * from[j + k].in;
			out -= weight * from[j - k].in;
			out += weight * from[j + k * stride].in;
			out -= weight * from[j - k * stride].in;
		}
		to[j] = (struct cell){ from[j].in + 1, out };
	}
}

static long
within(long value, long most)
{
	return value < 0 ? 0 : value > most ? most : value;
}

STN_KERNEL(stencil_sweep, struct cell, long, rows, long, columns, long, radius)
{
	long begin = within(radius - at->column, at->columns);
	long end = within(columns - radius - at->column, at->columns);

	for (long i = 0; i < at->rows; i++) {
		struct cell *to = at->to + i * at->stride;
		const struct cell *from = at->from + i * at->stride;
		long row = at->row + i;

		if (row < radius || row >= rows - radius) {
			copy_cells(to, from, 0, at->columns);
			continue;
		}
		copy_cells(to, from, 0, begin);
		if (radius == 1)
			stencil_cells(to, from, at->stride, begin, end, 1);
		else
			stencil_cells(to, from, at->stride, begin, end, 2);
		copy_cells(to, from, end, at->columns);
	}
}

/* Each sweep adds 2 to each point that has the whole stencil. */
STN_MEASURE(stencil_error, struct cell, long, rows, long, columns, long, radius,
	    long, sweeps)
{
	double most = 0;

	for (long i = 0; i < at->rows; i++)
		for (long j = 0; j < at->columns; j++) {
			long row = at->row + i, column = at->column + j;
			bool active = row >= radius && row < rows - radius &&
				      column >= radius &&
				      column < columns - radius;
			double right = active ? 2.0 * (double)sweeps : 0;
			double out = at->from[i * at->stride + j].out;

			if (!(fabs(out - right) <= most))
				most = isnan(out) ? INFINITY
						  : fabs(out - right);
		}
	return most;
}
STN_KERNEL(stencil_begin, struct cell)
{
	for (long i = 0; i < at->rows; i++)
		for (long j = 0; j < at->columns; j++)
			at->to[i * at->stride + j] = (struct cell){
				(double)(at->row + i + at->column + j), 0
			};
}

struct options {
	const char *what;
	long rows, columns, sweeps;
	uint32_t block;
};

struct times {
	double wall, processor;
};

static struct times
now(void)
{
	return (struct times){ seconds_of(CLOCK_MONOTONIC),
			       seconds_of(CLOCK_PROCESS_CPUTIME_ID) };
}

static void
print(struct times begin, struct times end, double result)
{
	printf("%.6f %.6f %.17g\n", end.wall - begin.wall,
	       end.processor - begin.processor, result);
}

static void
run_jacobi(STN_FRAME, const struct options *options)
{
	struct stn_parts *grid =
		STN_GRID(double, options->rows, options->columns, .halo = 1,
			 .star = true, .block = options->block);
	struct times begin, end;

	STN_FILL(grid, jacobi_begin);
	STN_SWEEPS(grid, SWEEPS_BEFORE, jacobi_sweep);
	begin = now();
	STN_SWEEPS(grid, options->sweeps, jacobi_sweep);
	end = now();
	print(begin, end, STN_SUM(grid, jacobi_hash));
}

static void
run_packed(STN_FRAME, const struct options *options)
{
	struct stn_parts *grid =
		STN_GRID(double, options->rows, options->columns, .halo = 1,
			 .star = true, .colours = 2, .block = options->block);
	struct times begin, end;

	STN_FILL(grid, packed_begin);
	STN_SWEEPS(grid, SWEEPS_BEFORE, packed_sweep);
	begin = now();
	STN_SWEEPS(grid, options->sweeps, packed_sweep);
	end = now();
	print(begin, end, STN_SUM(grid, packed_hash));
}

static void
run_stencil(STN_FRAME, const struct options *options, long radius)
{
	long rows = options->rows, columns = options->columns;
	struct stn_parts *grid =
		STN_GRID(struct cell, rows, columns, .halo = (uint32_t)radius,
			 .star = true, .block = options->block);
	struct times begin, end;

	STN_FILL(grid, stencil_begin);
	STN_SWEEPS(grid, SWEEPS_BEFORE, stencil_sweep, rows, columns, radius);
	begin = now();
	STN_SWEEPS(grid, options->sweeps, stencil_sweep, rows, columns, radius);
	end = now();
	print(begin, end,
	      STN_MAX(grid, stencil_error, rows, columns, radius,
		      SWEEPS_BEFORE + options->sweeps));
}

STN_MAIN(argc, argv)
{
	struct options options;

	if (argc != 6)
		return 2;
	options = (struct options){ argv[1], atol(argv[2]), atol(argv[3]),
				    atol(argv[4]), (uint32_t)atol(argv[5]) };
	if (!strcmp(options.what, "jacobi"))
		run_jacobi(STN_PASS_FRAME, &options);
	else if (!strcmp(options.what, "packed"))
		run_packed(STN_PASS_FRAME, &options);
	else if (!strcmp(options.what, "stencil1"))
		run_stencil(STN_PASS_FRAME, &options, 1);
	else if (!strcmp(options.what, "stencil2"))
		run_stencil(STN_PASS_FRAME, &options, 2);
	else
		return 2;
	return 0;
}
