/*
 * grids.c: sweeps grids of many shapes, and compares each with plain loops over
 * one array. The value of a point is a hash of all that a kernel may look at,
 * so a halo that is wrong in one place shows. Prints a line for each shape.
 * With a file's name, each grid goes through that file into a grid with other
 * parts.
 *
 *	grids [SWEEPS [FILE]]
 */
#include "tests/toy/grids.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

STN_KERNEL(grids_begin, uint64_t, long, planes, long, rows, long, columns, long,
	   colours)
{
	for (long p = 0; p < at->planes; p++)
		for (long i = 0; i < at->rows; i++)
			for (long j = 0; j < at->columns; j++) {
				long column = at->column + j;

				if (colours == 2)
					column = at->column + 2 * j +
						 STN_SHIFT(at, p, i);
				at->to[p * at->plane_stride + i * at->stride +
				       j] =
					mix(mix((uint64_t)STN_WRAP(
							at->plane + p, planes),
						(uint64_t)STN_WRAP(at->row + i,
								   rows)),
					    (uint64_t)STN_WRAP(column,
							       columns));
			}
}

STN_KERNEL(grids_sweep, uint64_t, long, halo, long, deep, long, star)
{
	for (long p = 0; p < at->planes; p++)
		for (long i = 0; i < at->rows; i++)
			for (long j = 0; j < at->columns; j++) {
				long place = p * at->plane_stride +
					     i * at->stride + j;

				at->to[place] = hash_box(
					at->from + place, at->plane_stride,
					at->stride, halo, deep, star);
			}
}

/* A point of one colour, from its neighbours of the other. */
STN_KERNEL(grids_relax, uint64_t, long, deep)
{
	for (long p = 0; p < at->planes; p++)
		for (long i = 0; i < at->rows; i++)
			for (long k = 0; k < at->columns; k++) {
				long place = p * at->plane_stride +
					     i * at->stride + k;
				const uint64_t *o = at->from + place;
				long s = STN_SHIFT(at, p, i);
				uint64_t hash = mix(at->to[place], o[s - 1]);

				hash = mix(hash, o[s]);
				hash = mix(hash, o[-at->stride]);
				hash = mix(hash, o[at->stride]);
				if (deep) {
					hash = mix(hash, o[-at->plane_stride]);
					hash = mix(hash, o[at->plane_stride]);
				}
				at->to[place] = hash;
			}
}

STN_MEASURE(grids_sum, uint64_t, long, colours)
{
	double sum = 0;

	for (long p = 0; p < at->planes; p++)
		for (long i = 0; i < at->rows; i++)
			for (long j = 0; j < at->columns; j++) {
				long place = p * at->plane_stride +
					     i * at->stride + j;

				sum += (double)(at->from[place] & VALUE_BITS);
				if (colours == 2)
					sum += (double)(at->to[place] &
							VALUE_BITS);
			}
	return sum;
}

STN_KERNEL(grids_edge, uint64_t, long, planes, long, rows, long, columns, long,
	   mirrors)
{
	for (long p = 0; p < at->planes; p++)
		for (long i = 0; i < at->rows; i++)
			for (long j = 0; j < at->columns; j++) {
				long plane = at->plane + p, row = at->row + i;
				long column = at->column + j;

				if (at->colours == 2)
					column = at->column + 2 * j +
						 STN_SHIFT(at, p, i);
				at->to[p * at->plane_stride + i * at->stride +
				       j] =
					outer(*STN_POINT(
						      at,
						      inner(plane, planes,
							    mirrors),
						      inner(row, rows, mirrors),
						      inner(column, columns,
							    mirrors)),
					      plane, row, column);
			}
}

STN_MEASURE(grids_look, uint64_t)
{
	double sum = 0;

	for (long p = at->plane; p < at->plane + at->planes; p++)
		for (long i = at->row; i < at->row + at->rows; i++)
			for (long j = at->column;
			     j < at->column + at->columns * at->colours; j++)
				sum += look(*STN_POINT(at, p, i, j - 1),
					    *STN_POINT(at, p, i, j + 1),
					    *STN_POINT(at, p, i - 1, j),
					    *STN_POINT(at, p, i + 1, j));
	return sum;
}

static struct stn_parts *
make_grid(STN_FRAME, const struct stn_grid *shape, int edge)
{
	struct stn_parts *grid = stn_parts_create(stn_frame, *shape);
	long planes = shape->planes ? (long)shape->planes : 1;
	long rows = (long)shape->rows, columns = (long)shape->columns;

	if (edge)
		STN_BOUNDARY(grid, grids_edge, planes, rows, columns,
			     (long)(edge == MIRRORED));
	STN_FILL(grid, grids_begin, planes, rows, columns,
		 (long)shape->colours);
	return grid;
}

/* A grid with the same points and other parts. */
static struct stn_parts *
go_through_file(STN_FRAME, struct stn_parts *grid, const struct stn_grid *shape,
		const char *file, int edge)
{
	struct stn_grid other = *shape;

	STN_WRITE(grid, file, "hash");
	STN_GRID_FREE(grid);
	other.part_planes = 3;
	other.part_rows = 5;
	other.part_columns = 4;
	grid = make_grid(STN_PASS_FRAME, &other, edge);
	STN_READ(grid, file, "hash");
	return grid;
}

/* The sums of the grid's points, on this node. */
static struct sums
sum_copies(STN_FRAME, struct stn_parts *grid, const struct stn_grid *shape)
{
	size_t points = shape->rows * shape->columns, place = 0;
	uint64_t *copy = malloc(points * sizeof(*copy));
	struct sums sums = { 0 };

	for (uint64_t p = 0; copy && p < shape->planes + !shape->planes; p++) {
		STN_GET(grid, p, copy);
		for (size_t i = 0; i < points; i++)
			add_value(&sums, copy[i], place++);
	}
	free(copy);
	return sums;
}

/* Whether the grid has these sums after @sweeps sweeps. */
static bool
parts_have(STN_FRAME, const struct stn_grid *shape, long sweeps,
	   const char *file, int edge, const struct sums *right)
{
	struct stn_parts *grid = make_grid(STN_PASS_FRAME, shape, edge);
	long deep = shape->planes ? (long)shape->halo : 0;
	struct sums copied;
	double sum, looks;

	/* In three calls, so that an operation follows another one. */
	for (long n = 0; n < 3; n++) {
		long count = n < 2 ? sweeps / 3 : sweeps - 2 * (sweeps / 3);

		if (n == 1 && file)
			grid = go_through_file(STN_PASS_FRAME, grid, shape,
					       file, edge);

		if (shape->colours == 2)
			STN_SWEEPS(grid, count, grids_relax, deep);
		else
			STN_SWEEPS(grid, count, grids_sweep, (long)shape->halo,
				   deep, (long)shape->star);
	}
	sum = STN_SUM(grid, grids_sum, (long)shape->colours);
	looks = STN_SUM(grid, grids_look);
	copied = sum_copies(STN_PASS_FRAME, grid, shape);
	STN_GRID_FREE(grid);
	return sum == right->values && looks == right->looks &&
	       copied.values == right->values && copied.placed == right->placed;
}

#define GRID(p, r, c, ...)                                                     \
	{                                                                      \
		.planes = p, .rows = r, .columns = c,                          \
		.element = sizeof(uint64_t), .number = STN_UINT64, __VA_ARGS__ \
	}

static const struct {
	const char *name;
	struct stn_grid grid;
	int edge;
} shapes[] = {
	{ "one part", GRID(0, 20, 30, .halo = 1) },
	{ "a star", GRID(0, 40, 30, .halo = 1, .star = true, .block = 1,
			 .part_rows = 7, .part_columns = 8) },
	{ "a star in blocks",
	  GRID(0, 40, 30, .halo = 1, .star = true, .block = 3, .part_rows = 7,
	       .part_columns = 8) },
	{ "a box", GRID(0, 40, 30, .halo = 1, .block = 1, .part_rows = 7,
			.part_columns = 8) },
	{ "a halo wider than a part", GRID(0, 23, 17, .halo = 3, .block = 2,
					   .part_rows = 2, .part_columns = 5) },
	{ "points as parts", GRID(0, 9, 7, .halo = 1, .block = 1,
				  .part_rows = 1, .part_columns = 1) },
	{ "a periodic grid",
	  GRID(0, 40, 30, .halo = 2, .periodic = true, .block = 2,
	       .part_rows = 7, .part_columns = 8) },
	{ "a halo wider than a periodic grid",
	  GRID(0, 5, 3, .halo = 2, .periodic = true, .block = 4, .part_rows = 2,
	       .part_columns = 2) },
	{ "one periodic part",
	  GRID(0, 6, 5, .halo = 1, .periodic = true, .block = 2) },
	{ "colours", GRID(0, 30, 24, .halo = 1, .colours = 2, .block = 1,
			  .part_rows = 7, .part_columns = 8) },
	{ "colours in blocks",
	  GRID(0, 30, 24, .halo = 1, .colours = 2, .block = 3, .part_rows = 7,
	       .part_columns = 8) },
	{ "periodic colours",
	  GRID(0, 30, 24, .halo = 1, .colours = 2, .periodic = true, .block = 2,
	       .part_rows = 8, .part_columns = 8) },
	{ "three dimensions",
	  GRID(11, 12, 13, .halo = 1, .star = true, .block = 2,
	       .part_planes = 4, .part_rows = 5, .part_columns = 6) },
	{ "three dimensions, a box",
	  GRID(11, 12, 13, .halo = 2, .block = 1, .part_planes = 4,
	       .part_rows = 5, .part_columns = 6) },
	{ "colours in three dimensions",
	  GRID(11, 12, 14, .halo = 1, .colours = 2, .block = 2,
	       .part_planes = 4, .part_rows = 5, .part_columns = 6) },
	{ "a computed edge",
	  GRID(0, 40, 30, .halo = 1, .block = 1, .part_rows = 7,
	       .part_columns = 8),
	  NEAREST },
	{ "a mirror, in blocks",
	  GRID(0, 40, 30, .halo = 2, .block = 3, .part_rows = 7,
	       .part_columns = 8),
	  MIRRORED },
	{ "a computed edge, a halo wider than a part",
	  GRID(0, 23, 17, .halo = 3, .block = 2, .part_rows = 2,
	       .part_columns = 5),
	  MIRRORED },
	{ "a computed edge around one part", GRID(0, 5, 4, .halo = 1),
	  NEAREST },
	{ "a computed edge of points as parts",
	  GRID(0, 9, 7, .halo = 1, .block = 2, .part_rows = 1,
	       .part_columns = 1),
	  NEAREST },
	{ "colours with a computed edge",
	  GRID(0, 30, 24, .halo = 1, .colours = 2, .block = 1, .part_rows = 7,
	       .part_columns = 8),
	  NEAREST },
	{ "colours with a mirror, in blocks",
	  GRID(0, 30, 24, .halo = 1, .colours = 2, .block = 3, .part_rows = 7,
	       .part_columns = 8),
	  MIRRORED },
	{ "three dimensions with a computed edge",
	  GRID(11, 12, 13, .halo = 1, .block = 2, .part_planes = 4,
	       .part_rows = 5, .part_columns = 6),
	  NEAREST },
	{ "three dimensions with a mirror",
	  GRID(11, 12, 13, .halo = 2, .block = 1, .part_planes = 4,
	       .part_rows = 5, .part_columns = 6),
	  MIRRORED },
	{ "colours in three dimensions with a computed edge",
	  GRID(11, 12, 14, .halo = 1, .colours = 2, .block = 2,
	       .part_planes = 4, .part_rows = 5, .part_columns = 6),
	  NEAREST },
};

STN_MAIN(argc, argv)
{
	long sweeps = argc > 1 ? atol(argv[1]) : 13;
	const char *file = argc > 2 ? argv[2] : NULL;
	int wrong = 0;

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct sums sums = grids_sum_plainly(&shapes[i].grid, sweeps,
						     shapes[i].edge);
		bool right = parts_have(STN_PASS_FRAME, &shapes[i].grid, sweeps,
					file, shapes[i].edge, &sums);

		printf("%s: %s\n", shapes[i].name, right ? "right" : "WRONG");
		wrong += !right;
	}
	return wrong != 0;
}
