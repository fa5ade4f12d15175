/* key.c: Morton keys, and sorting by them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/fmm/cells.h"

#define AXIS_MOST ((1u << FMM_DEEPEST) - 1)
#define DIGIT_BITS 11
#define DIGITS (1u << DIGIT_BITS)

struct fmm_space
fmm_space(const struct fmm_body *bodies, size_t count)
{
	double low[3] = { INFINITY, INFINITY, INFINITY };
	double high[3] = { -INFINITY, -INFINITY, -INFINITY };
	double size = 0, charge = 0;

	for (size_t i = 0; i < count; i++) {
		double at[3] = { bodies[i].x, bodies[i].y, bodies[i].z };

		for (int axis = 0; axis < 3; axis++) {
			low[axis] = fmin(low[axis], at[axis]);
			high[axis] = fmax(high[axis], at[axis]);
		}
		charge += fabs(bodies[i].charge);
	}
	for (int axis = 0; axis < 3 && count; axis++)
		size = fmax(size, high[axis] - low[axis]);
	if (!(size > 0))
		size = 1;
	for (int axis = 0; axis < 3; axis++)
		low[axis] = count ? (low[axis] + high[axis] - size) / 2 : 0;
	return (struct fmm_space){ low[0], low[1], low[2], size, charge };
}

/* The difference of two numbers is exact if neither is above twice the other. */
void
fmm_recentre(struct fmm_space *space, double away[3])
{
	double *low[3] = { &space->x, &space->y, &space->z };

	for (int axis = 0; axis < 3; axis++) {
		bool far = *low[axis] >= space->size ||
			   *low[axis] <= -2 * space->size;

		away[axis] = far ? *low[axis] : 0;
		*low[axis] -= away[axis];
	}
}

/* Puts two zero bits before each of 21 bits. */
static uint64_t
spread(uint64_t x)
{
	x = (x | x << 32) & UINT64_C(0x001f00000000ffff);
	x = (x | x << 16) & UINT64_C(0x001f0000ff0000ff);
	x = (x | x << 8) & UINT64_C(0x100f00f00f00f00f);
	x = (x | x << 4) & UINT64_C(0x10c30c30c30c30c3);
	x = (x | x << 2) & UINT64_C(0x1249249249249249);
	return x;
}

static uint32_t
gather(uint64_t x)
{
	x &= UINT64_C(0x1249249249249249);
	x = (x | x >> 2) & UINT64_C(0x10c30c30c30c30c3);
	x = (x | x >> 4) & UINT64_C(0x100f00f00f00f00f);
	x = (x | x >> 8) & UINT64_C(0x001f0000ff0000ff);
	x = (x | x >> 16) & UINT64_C(0x001f00000000ffff);
	x = (x | x >> 32) & AXIS_MOST;
	return (uint32_t)x;
}

static uint64_t
along_axis(double at, double low, double scale)
{
	double cell = (at - low) * scale;

	/* A NaN goes to cell 0. */
	return cell > 0 ? (cell < AXIS_MOST ? (uint64_t)cell : AXIS_MOST) : 0;
}

uint64_t
fmm_key(const struct fmm_space *space, const struct fmm_body *body)
{
	double scale = (double)(1u << FMM_DEEPEST) / space->size;

	return spread(along_axis(body->x, space->x, scale)) |
	       spread(along_axis(body->y, space->y, scale)) << 1 |
	       spread(along_axis(body->z, space->z, scale)) << 2;
}

struct fmm_place
fmm_place(uint64_t key, uint32_t level)
{
	key >>= 3 * (FMM_DEEPEST - level);
	return (struct fmm_place){ level, gather(key), gather(key >> 1),
				   gather(key >> 2) };
}

struct sorted {
	uint64_t key;
	uint64_t number;
};

/* Sorts by one digit; equal digits keep their order. */
static void
sort_digit(const struct sorted *from, size_t count, unsigned shift,
	   struct sorted *to)
{
	size_t starts[DIGITS] = { 0 }, start = 0;

	for (size_t i = 0; i < count; i++)
		starts[from[i].key >> shift & (DIGITS - 1)]++;
	for (size_t digit = 0; digit < DIGITS; digit++) {
		size_t those = starts[digit];

		starts[digit] = start;
		start += those;
	}
	for (size_t i = 0; i < count; i++)
		to[starts[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
}

int
fmm_sort(const struct fmm_space *space, const struct fmm_body *bodies,
	 size_t count, uint32_t *order)
{
	struct sorted *from = malloc((2 * count + 1) * sizeof *from), *to,
		      *memory;

	if (!from)
		return -1;
	memory = from;
	to = from + count;
	for (size_t i = 0; i < count; i++)
		from[i] = (struct sorted){ fmm_key(space, &bodies[i]), i };
	for (unsigned shift = 0; shift < 63; shift += DIGIT_BITS) {
		struct sorted *swapped = from;

		sort_digit(from, count, shift, to);
		from = to;
		to = swapped;
	}
	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)from[i].number;
	free(memory);
	return 0;
}
