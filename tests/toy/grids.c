/*
 * grids.c: sweeps grids of many shapes, and compares each with plain loops over
 * one array. The value of a point is a hash of all that a kernel may look at,
 * so a halo that is wrong in one place shows. Prints a line for each shape.
 *With a file's name, each grid goes through that file into a grid with other
 *parts.
 *
 *	grids [SWEEPS [FILE]]
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sateen_parts.h>

#define SALT 0x9e3779b97f4a7c15u
#define VALUE_BITS 0xfffffu /* so that a sum of values is exact */

static inline uint64_t
mix(uint64_t a, uint64_t b)
{
	a = (a ^ (b + SALT)) * 0xbf58476d1ce4e5b9u;
	return a ^ a >> 29;
}

/* The points at a distance of up to @halo, in each direction or along axes. */
static uint64_t
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

/* A sum over the neighbours of all points. */
static inline double
look(uint64_t west, uint64_t east, uint64_t north, uint64_t south)
{
	return (double)(mix(mix(west, east), mix(north, south)) & VALUE_BITS);
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

/* The same grid as one array with a border, swept by plain loops. */
struct plain {
	const struct stn_grid *grid;
	long planes, rows, columns, halo, deep;
	long row, plane;
	int edge; /* enum edge */
	uint64_t *now, *next;
};

static uint64_t *
plain_at(const struct plain *plain, uint64_t *points, long p, long i, long j)
{
	return points + (p + plain->deep) * plain->plane +
	       (i + plain->halo) * plain->row + j + plain->halo;
}

static uint64_t
first_value(const struct plain *plain, long p, long i, long j)
{
	return mix(mix((uint64_t)STN_WRAP(p, plain->planes),
		       (uint64_t)STN_WRAP(i, plain->rows)),
		   (uint64_t)STN_WRAP(j, plain->columns));
}

/* What the points outside of a grid are. */
enum edge { FIXED, NEAREST, MIRRORED };

/* Calls @visit for each point, and those around the grid. */
#define EACH_POINT(plain, border)                                              \
	for (long p = -(border) * (plain)->deep;                               \
	     p < (plain)->planes + (border) * (plain)->deep; p++)              \
		for (long i = -(border) * (plain)->halo;                       \
		     i < (plain)->rows + (border) * (plain)->halo; i++)        \
			for (long j = -(border) * (plain)->halo;               \
			     j < (plain)->columns + (border) * (plain)->halo;  \
			     j++)

static bool
is_inside(const struct plain *plain, long p, long i, long j)
{
	return p >= 0 && p < plain->planes && i >= 0 && i < plain->rows &&
	       j >= 0 && j < plain->columns;
}

static void
compute_border(const struct plain *plain, uint64_t *points)
{
	long mirrors = plain->edge == MIRRORED;

	EACH_POINT(plain, 1)
	{
		if (!is_inside(plain, p, i, j))
			*plain_at(plain, points, p, i, j) = outer(
				*plain_at(plain, points,
					  inner(p, plain->planes, mirrors),
					  inner(i, plain->rows, mirrors),
					  inner(j, plain->columns, mirrors)),
				p, i, j);
	}
}

/* In a periodic grid the border is a copy of the other side. */
static void
copy_border(const struct plain *plain, uint64_t *points)
{
	if (plain->edge)
		compute_border(plain, points);
	if (!plain->grid->periodic)
		return;
	EACH_POINT(plain, 1)
	{
		*plain_at(plain, points, p, i, j) = *plain_at(
			plain, points, STN_WRAP(p, plain->planes),
			STN_WRAP(i, plain->rows), STN_WRAP(j, plain->columns));
	}
}

static void
sweep_copies(struct plain *plain)
{
	uint64_t *other = plain->now;

	copy_border(plain, plain->now);
	EACH_POINT(plain, 0)
	{
		*plain_at(plain, plain->next, p, i, j) =
			hash_box(plain_at(plain, plain->now, p, i, j),
				 plain->plane, plain->row, plain->halo,
				 plain->deep, plain->grid->star);
	}
	plain->now = plain->next;
	plain->next = other;
}

static void
sweep_colours(struct plain *plain)
{
	for (long colour = 0; colour < 2; colour++) {
		copy_border(plain, plain->now);
		EACH_POINT(plain, 0)
		{
			uint64_t *x = plain_at(plain, plain->now, p, i, j);
			uint64_t hash;

			if (((p + i + j) & 1) != colour)
				continue;
			hash = mix(mix(*x, x[-1]), x[1]);
			hash = mix(mix(hash, x[-plain->row]), x[plain->row]);
			if (plain->deep)
				hash = mix(mix(hash, x[-plain->plane]),
					   x[plain->plane]);
			*x = hash;
		}
	}
}

/* Two sums of all points: the second one depends on their places. */
struct sums {
	double values, placed, looks;
};

static void
add_value(struct sums *sums, uint64_t value, size_t place)
{
	double number = (double)(value & VALUE_BITS);

	sums->values += number;
	sums->placed += number * (double)(place % 251);
}

static struct sums
sum_plainly(const struct stn_grid *grid, long sweeps, int edge)
{
	struct plain plain = { .grid = grid,
			       .edge = edge,
			       .planes = grid->planes ? (long)grid->planes : 1,
			       .rows = (long)grid->rows,
			       .columns = (long)grid->columns,
			       .halo = grid->halo,
			       .deep = grid->planes ? grid->halo : 0 };
	struct sums sums = { 0 };
	size_t points, place = 0;
	uint64_t *memory;

	plain.row = plain.columns + 2 * plain.halo;
	plain.plane = plain.row * (plain.rows + 2 * plain.halo);
	points = (size_t)(plain.plane * (plain.planes + 2 * plain.deep));
	memory = malloc(2 * points * sizeof(*memory));
	if (!memory)
		return sums;
	plain.now = memory;
	plain.next = memory + points;
	EACH_POINT(&plain, 1)
	{
		*plain_at(&plain, plain.now, p, i, j) =
			*plain_at(&plain, plain.next, p, i, j) =
				first_value(&plain, p, i, j);
	}
	for (long n = 0; n < sweeps; n++)
		(grid->colours == 2 ? sweep_colours : sweep_copies)(&plain);
	EACH_POINT(&plain, 0)
	{
		add_value(&sums, *plain_at(&plain, plain.now, p, i, j),
			  place++);
	}
	copy_border(&plain, plain.now);
	EACH_POINT(&plain, 0)
	{
		const uint64_t *x = plain_at(&plain, plain.now, p, i, j);

		sums.looks += look(x[-1], x[1], x[-plain.row], x[plain.row]);
	}
	free(memory);
	return sums;
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
		struct sums sums =
			sum_plainly(&shapes[i].grid, sweeps, shapes[i].edge);
		bool right = parts_have(STN_PASS_FRAME, &shapes[i].grid, sweeps,
					file, shapes[i].edge, &sums);

		printf("%s: %s\n", shapes[i].name, right ? "right" : "WRONG");
		wrong += !right;
	}
	return wrong != 0;
}
