/*
 * grids.h: what grids.c computes at each point, by kernels in grids.c and by
 * plain loops in grids_plain.c.
 */
#ifndef TESTS_TOY_GRIDS_H
#define TESTS_TOY_GRIDS_H

#include <stdbool.h>
#include <stdint.h>
#include <sateen_parts.h>

/* What the points outside of a grid are. */
enum edge { FIXED, NEAREST, MIRRORED };

#define SALT 0x9e3779b97f4a7c15u
#define VALUE_BITS 0xfffffu /* so that a sum of values is exact */

static inline uint64_t
mix(uint64_t a, uint64_t b)
{
	a = (a ^ (b + SALT)) * 0xbf58476d1ce4e5b9u;
	return a ^ a >> 29;
}

/* The points at a distance of up to @halo, in each direction or along axes. */
static inline uint64_t
hash_box(const uint64_t *at, long plane, long row, long halo, long deep,
	 long star)
{
	uint64_t hash = 1;

	for (long p = -deep; p <= deep; p++)
		for (long i = -halo; i <= halo; i++)
			for (long j = -halo; j <= halo; j++)
				if (!star || !!p + !!i + !!j <= 1)
					hash = mix(hash,
						   at[p * plane + i * row + j]);
	return hash;
}

/*
 * The coordinate inside of the grid whose point a point outside is computed
 * from: the nearest, or the mirror image.
 */
static inline long
inner(long coordinate, long size, long mirrors)
{
	if (mirrors && coordinate < 0)
		return -1 - coordinate;
	if (mirrors && coordinate >= size)
		return 2 * size - 1 - coordinate;
	return STN_INSIDE(coordinate, size);
}

/* The value of a point outside of the grid. */
static inline uint64_t
outer(uint64_t inside, long plane, long row, long column)
{
	return mix(inside, (uint64_t)((plane * 100 + row) * 100 + column));
}

/* A sum over the neighbours of all points. */
static inline double
look(uint64_t west, uint64_t east, uint64_t north, uint64_t south)
{
	return (double)(mix(mix(west, east), mix(north, south)) & VALUE_BITS);
}

/* Two sums of all points: the second one depends on their places. */
struct sums {
	double values, placed, looks;
};

static inline void
add_value(struct sums *sums, uint64_t value, size_t place)
{
	double number = (double)(value & VALUE_BITS);

	sums->values += number;
	sums->placed += number * (double)(place % 251);
}

/* The sums of a grid of @shape after @sweeps sweeps, by loops over one array. */
struct sums grids_sum_plainly(const struct stn_grid *shape, long sweeps,
			      int edge);

#endif
