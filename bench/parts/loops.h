/*
 * loops.h: what the programs of bench-parts compute: one sweep over a box of
 * rows. The program with grids and the one with plain arrays both call these
 * functions, so they differ only in the code around the loops.
 */
#ifndef BENCH_PARTS_LOOPS_H
#define BENCH_PARTS_LOOPS_H

/* gcc 12 makes vector instructions of few loops with -O2. Clang does. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#include <stdint.h>
#include <string.h>
#include <time.h>

#define SWEEPS_BEFORE 16 /* sweeps that are not timed */
#define OMEGA 1.5

/* The value of a point at the beginning; row and column are -1 at an edge. */
static inline double
first_value(long row, long column)
{
	uint64_t mixed = (uint64_t)(row + 1) * 0x9e3779b97f4a7c15u ^
			 (uint64_t)(column + 1) * 0xc2b2ae3d27d4eb4fu;

	return (double)(mixed >> 40) / (1 << 24);
}

/*
 * A number of 24 bits that depends on all bits of a point's value and on its
 * place. So a double holds the sum of any grid exactly.
 */
static inline uint32_t
point_hash(double value, long row, long column)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	bits ^= (uint64_t)row << 32 ^ (uint64_t)column;
	return (uint32_t)(bits * 0x9e3779b97f4a7c15u >> 40);
}

/* Jacobi: each point becomes the mean of its neighbours. */
static inline void
jacobi_loop(double *to, const double *from, long rows, long columns,
	    long stride)
{
	for (long i = 0; i < rows; i++, to += stride, from += stride)
		for (long j = 0; j < columns; j++)
			to[j] = 0.25 * (from[j - stride] + from[j + stride] +
					from[j - 1] + from[j + 1]);
}

/*
 * SOR with packed colours: @to has the points of one colour, @other those of
 * the other, @columns of them in a row. @shift is 1 if the first point of the
 * first row is in an odd column of the box.
 */
static inline void
packed_loop(double *to, const double *other, long rows, long columns,
	    long stride, long shift)
{
	for (long i = 0; i < rows; i++, shift = !shift) {
		double *restrict x = to + i * stride;
		const double *restrict y = other + i * stride;
		const double *west = y + shift - 1;

		for (long k = 0; k < columns; k++) {
			double sum = y[k - stride] + y[k + stride] + west[k] +
				     west[k + 1];

			x[k] += OMEGA * (0.25 * sum - x[k]);
		}
	}
}

/* SOR, one colour of points that lie side by side with the other's. */
static inline void
interleaved_loop(double *grid, long rows, long columns, long stride, long shift)
{
	for (long i = 0; i < rows; i++, shift = !shift) {
		double *x = grid + i * stride;

		for (long j = shift; j < columns; j += 2) {
			double sum = x[j - stride] + x[j + stride] + x[j - 1] +
				     x[j + 1];

			x[j] += OMEGA * (0.25 * sum - x[j]);
		}
	}
}

static inline double
seconds_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

#endif
