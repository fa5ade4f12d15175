/*
 * grids_plain.c: the grids of grids.c as one array with a border, swept by
 * plain loops.
 */
#include "tests/toy/grids.h"

#include <stdlib.h>
#include <string.h>

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

struct sums
grids_sum_plainly(const struct stn_grid *grid, long sweeps, int edge)
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
