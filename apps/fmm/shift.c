/*
 * shift.c: products of a matrix and the eight columns of an octet, and what the
 * symmetry of surfaces is used for.
 */
#include "apps/fmm/vector.h"
#include "apps/fmm/wide.h"
#include "apps/fmm/wide_names.h"

#define ROWS_AT_ONCE 8

/* The rows hide each other's latency. */
#define MULTIPLY(rows_at_once)                                                 \
	vdouble sum[rows_at_once];                                             \
                                                                               \
	UNROLLED(int r = 0; r < (rows_at_once); r++)                           \
	sum[r] = all(0);                                                       \
	for (size_t j = 0; j < columns; j++) {                                 \
		vdouble v = load(from + j * LANES);                            \
                                                                               \
		UNROLLED(int r = 0; r < (rows_at_once); r++)                   \
		sum[r] = fuse(all(row[r * columns + j]), v, sum[r]);           \
	}                                                                      \
	UNROLLED(int r = 0; r < (rows_at_once); r++)                           \
	store(to + r * LANES, sum[r])

INLINE void
multiply_rows(const double *row, size_t columns, const double *from, double *to)
{
	MULTIPLY(ROWS_AT_ONCE);
}

INLINE void
multiply_row(const double *row, size_t columns, const double *from, double *to)
{
	MULTIPLY(1);
}

void
WIDE(multiply)(const double *matrix, size_t rows, size_t columns,
	       const double *from, double *to)
{
	for (size_t lane = 0; lane < LANES; lane += DOUBLES) {
		size_t i = 0;

		for (; i + ROWS_AT_ONCE <= rows; i += ROWS_AT_ONCE)
			multiply_rows(matrix + i * columns, columns,
				      from + lane, to + i * LANES + lane);
		for (; i < rows; i++)
			multiply_row(matrix + i * columns, columns, from + lane,
				     to + i * LANES + lane);
	}
}

static void
fold_pair(double *low, double *high)
{
	for (size_t lane = 0; lane < LANES; lane += DOUBLES) {
		vdouble a = load(low + lane), b = load(high + lane);

		store(low + lane, (a + b) * 0.70710678118654752440);
		store(high + lane, (a - b) * 0.70710678118654752440);
	}
}

void
WIDE(fold)(const struct symmetry *symmetry, double *rows)
{
	for (int axis = 0; axis < 3; axis++)
		for (size_t i = 0; i < symmetry->counts[axis]; i++)
			fold_pair(rows + symmetry->pairs[axis][i].low * LANES,
				  rows + symmetry->pairs[axis][i].high * LANES);
}

/* The children on the high side of each axis. */
static const int64_t high_side[3][LANES] __attribute__((aligned(64))) = {
	{ 0, -1, 0, -1, 0, -1, 0, -1 },
	{ 0, 0, -1, -1, 0, 0, -1, -1 },
	{ 0, 0, 0, 0, -1, -1, -1, -1 },
};

static void
mirror_pair(const int64_t *high_child, double *low, double *high)
{
	for (size_t lane = 0; lane < LANES; lane += DOUBLES) {
		vmask mask = *(const vmask *)(high_child + lane);
		vmask a = *(vmask *)(low + lane), b = *(vmask *)(high + lane);
		vmask change = (a ^ b) & mask;

		*(vmask *)(low + lane) = a ^ change;
		*(vmask *)(high + lane) = b ^ change;
	}
}

void
WIDE(mirror)(const struct symmetry *symmetry, double *rows)
{
	for (int axis = 0; axis < 3; axis++)
		for (size_t i = 0; i < symmetry->counts[axis]; i++)
			mirror_pair(high_side[axis],
				    rows + symmetry->pairs[axis][i].low * LANES,
				    rows + symmetry->pairs[axis][i].high *
						    LANES);
}
