#include "parts/shape.h"

#include <inttypes.h>
#include <math.h>

#define PART_BYTES 262144 /* of a part, about: it fits into a private cache */
#define SOLID_BYTES                                                            \
	2097152	     /* the same in three dimensions, where a small part       \
		      * would have more halo than points */
#define BLOCK_MOST 8 /* more sweeps gain little, but widen the halo */
#define REPETITION_MOST 1.12
#define LONG_COLUMNS 256 /* columns of a part; long rows vectorise well */
#define PLACES_MOST (1u << 20)
#define LAYER_MOST (UINT64_C(1) << 60) /* bytes */
#define POINTS_MOST (UINT64_C(1) << 48)
#define BLOCK_LONGEST 1024 /* also the widest halo */
#define CELLS_MOST (1u << 28) /* records of a part of cells */
#define BRIEF_MOST (1u << 24) /* bytes of a brief summary */

static uint64_t
least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t
divide_up(uint64_t a, uint64_t b)
{
	return (a + b - 1) / b;
}

/* Parts of the wanted size: long rows, and as many planes as rows. */
static void
choose_part(struct stn_shape *shape, const struct stn_grid *grid)
{
	bool solid = shape->size[0] > 1;
	uint64_t bytes = solid ? SOLID_BYTES : PART_BYTES;
	uint64_t points = bytes / least(grid->element, bytes);
	uint64_t columns = grid->part_columns, rows = grid->part_rows;
	uint64_t planes = grid->part_planes;

	if (!columns)
		columns = LONG_COLUMNS;
	columns = least(least(columns, shape->size[2]), UINT32_MAX - 1);
	columns += columns % shape->colours;
	points /= columns;
	if (!rows)
		rows = solid ? (uint64_t)sqrt((double)points) : points;
	rows = least(rows + !rows, shape->size[1]);
	if (!planes)
		planes = points / rows;
	planes = least(planes + !planes, shape->size[0]);
	shape->part[0] = (uint32_t)planes;
	shape->part[1] = (uint32_t)rows;
	shape->part[2] = (uint32_t)columns;
}

/*
 * How many points a part computes in the steps of a block of @block sweeps, for
 * each point of its own.
 */
static double
repetition(const struct stn_shape *shape, uint32_t halo, uint64_t block)
{
	double times = 1;

	for (int d = 0; d < STN_DIRECTIONS; d++)
		if (shape->count[d] > 1)
			times *= 1 + (double)(block * shape->colours - 1) *
					     halo / shape->part[d];
	return times;
}

/* The longest block that does not compute too many points twice. */
static uint32_t
choose_block(const struct stn_shape *shape, const struct stn_grid *grid)
{
	uint32_t block = BLOCK_MOST / shape->colours;

	if (grid->number == STN_SHAPE_CELLS)
		return 1;
	if (grid->block)
		return grid->block;
	while (block > 1 &&
	       repetition(shape, grid->halo, block) > REPETITION_MOST)
		block--;
	return block;
}

/*
 * How many parts away, in direction @d, the halo of a part may reach. The last
 * part may be smaller than the others, and in a periodic grid the halo may go
 * round the whole grid.
 */
static uint32_t
choose_looks(const struct stn_shape *shape, int d)
{
	uint64_t rest = shape->halo[d] % shape->size[d];
	uint64_t looks = shape->halo[d] / shape->size[d] * shape->count[d];

	if (rest)
		looks += divide_up(rest, shape->part[d]) +
			 (shape->size[d] % shape->part[d] != 0);
	return shape->periodic ? (uint32_t)looks
			       : (uint32_t)least(looks, shape->count[d] - 1u);
}

static enum stn_err
check_cells(const struct stn_grid *grid, struct stn_why *why)
{
	if (grid->element < 3 * sizeof(double) ||
	    grid->part_rows > grid->element - 3 * sizeof(double) ||
	    grid->part_rows % sizeof(double))
		return stn_because(why, STN_INVALID,
				   "records of %" PRIu32 " bytes have no three "
				   "doubles at offset %" PRIu32,
				   grid->element, grid->part_rows);
	if (grid->rows != 1 || grid->planes || grid->halo || grid->colours ||
	    !grid->part_columns || grid->part_columns > CELLS_MOST)
		return stn_because(why, STN_INVALID,
				   "a part of cells has 1 to %u records, not "
				   "%" PRIu32,
				   CELLS_MOST, grid->part_columns);
	if (!grid->columns || grid->columns > POINTS_MOST)
		return stn_because(why, STN_INVALID,
				   "cells can't have %" PRIu64 " records",
				   grid->columns - 1);
	if (grid->block > BLOCK_LONGEST)
		return stn_because(why, STN_INVALID,
				   ".across of cells is at most %u, not "
				   "%" PRIu32,
				   BLOCK_LONGEST, grid->block);
	if (grid->part_planes > BRIEF_MOST)
		return stn_because(why, STN_INVALID,
				   "a brief summary of cells has at most %u "
				   "bytes, not %" PRIu32,
				   BRIEF_MOST, grid->part_planes);
	return STN_OK;
}

static enum stn_err
check_grid(const struct stn_grid *grid, struct stn_why *why)
{
	uint64_t planes = grid->planes + !grid->planes;

	if (grid->number == STN_SHAPE_CELLS && check_cells(grid, why))
		return STN_INVALID;
	if (!grid->rows || !grid->columns || !grid->element)
		return stn_because(why, STN_INVALID,
				   "a grid needs rows and columns");
	if (grid->rows > POINTS_MOST / grid->columns ||
	    planes > POINTS_MOST / grid->columns / grid->rows)
		return stn_because(why, STN_INVALID,
				   "a grid of %" PRIu64 " x %" PRIu64
				   " x %" PRIu64 " points is too large",
				   planes, grid->rows, grid->columns);
	if (grid->colours > 2 || grid->copies > 2)
		return stn_because(why, STN_INVALID,
				   "a grid has one or two copies, and one or "
				   "two colours");
	if (grid->colours == 2 && grid->copies == 2)
		return stn_because(why, STN_INVALID,
				   "a grid with colours has one copy");
	if (grid->colours == 2 && grid->columns % 2)
		return stn_because(why, STN_INVALID,
				   "a grid with colours needs an even number "
				   "of columns, not %" PRIu64,
				   grid->columns);
	if (grid->colours == 2 && grid->periodic &&
	    (grid->rows % 2 || grid->planes % 2))
		return stn_because(why, STN_INVALID,
				   "a periodic grid with colours needs even "
				   "numbers of rows and planes");
	if (grid->copies == 1 && grid->colours < 2 && grid->halo)
		return stn_because(why, STN_INVALID,
				   "a grid with a halo needs two copies or two "
				   "colours");
	if (grid->halo > BLOCK_LONGEST || grid->block > BLOCK_LONGEST)
		return stn_because(why, STN_INVALID,
				   "the halo and the block of a grid are at "
				   "most %u",
				   BLOCK_LONGEST);
	return STN_OK;
}

static void
set_halo(struct stn_shape *shape, const struct stn_grid *grid)
{
	for (int d = 0; d < STN_DIRECTIONS; d++) {
		bool flat = !d && shape->size[0] == 1 && !grid->planes;

		shape->reach[d] = flat ? 0 : grid->halo;
		if (d == 2 && shape->colours == 2)
			shape->reach[d] += shape->reach[d] % 2;
		shape->halo[d] =
			shape->reach[d] * shape->colours * shape->block;
	}
	for (int d = 0; d < STN_DIRECTIONS; d++)
		shape->looks[d] = choose_looks(shape, d);
}

/* Whether a part's layer with its halo has a size that can be computed. */
static bool
shape_fits(const struct stn_shape *shape)
{
	uint64_t bytes = shape->element, places = 1;

	for (int d = 0; d < STN_DIRECTIONS; d++) {
		places *= 2ull * shape->looks[d] + 1;
		if (places > PLACES_MOST ||
		    __builtin_mul_overflow(
			    bytes, shape->part[d] + 2ull * shape->halo[d] + 64,
			    &bytes))
			return false;
	}
	return bytes < LAYER_MOST;
}

enum stn_err
stn_shape_init(struct stn_shape *shape, const struct stn_grid *grid,
	       struct stn_why *why)
{
	enum stn_err err = check_grid(grid, why);
	uint64_t parts = 1;

	if (err)
		return err;
	*shape = (struct stn_shape){
		.size = { grid->planes + !grid->planes, grid->rows,
			  grid->columns },
		.element = grid->element,
		.number = grid->number,
		.colours = grid->colours == 2 ? 2 : 1,
		.periodic = grid->periodic,
	};
	shape->copies = grid->copies;
	if (!shape->copies)
		shape->copies = grid->halo && shape->colours == 1 ? 2 : 1;
	choose_part(shape, grid);
	for (int d = 0; d < STN_DIRECTIONS; d++) {
		uint64_t count = divide_up(shape->size[d], shape->part[d]);

		parts = parts > UINT32_MAX ? parts : parts * count;
		shape->count[d] = (uint32_t)count;
	}
	if (parts > UINT32_MAX / 2)
		return stn_because(why, STN_INVALID,
				   "a grid has at most 2^31 parts; make the "
				   "parts larger");
	shape->block = choose_block(shape, grid);
	set_halo(shape, grid);
	if (!shape_fits(shape))
		return stn_because(why, STN_INVALID,
				   "a part of the grid, or its halo, is too "
				   "large; make the parts smaller, or lower "
				   ".block");
	shape->star = grid->star && shape->block * shape->colours == 1;
	return STN_OK;
}

uint32_t
stn_shape_parts(const struct stn_shape *shape)
{
	return shape->count[0] * shape->count[1] * shape->count[2];
}

static void
part_coordinates(const struct stn_shape *shape, uint32_t part,
		 int64_t at[STN_DIRECTIONS])
{
	at[2] = part % shape->count[2];
	at[1] = part / shape->count[2] % shape->count[1];
	at[0] = part / shape->count[2] / shape->count[1];
}

static struct stn_box
box_at(const struct stn_shape *shape, const int64_t at[STN_DIRECTIONS])
{
	struct stn_box box;

	for (int d = 0; d < STN_DIRECTIONS; d++) {
		box.low[d] = at[d] * shape->part[d];
		box.high[d] = box.low[d] + shape->part[d];
		if (box.high[d] > (int64_t)shape->size[d])
			box.high[d] = (int64_t)shape->size[d];
	}
	return box;
}

struct stn_box
stn_shape_box(const struct stn_shape *shape, uint32_t part)
{
	int64_t at[STN_DIRECTIONS];

	part_coordinates(shape, part, at);
	return box_at(shape, at);
}

static void
box_widen(struct stn_box *box, int d, int64_t by)
{
	box->low[d] -= by;
	box->high[d] += by;
}

/* Removes points of @box that are over @beyond points outside of the grid. */
static void
box_clip(const struct stn_shape *shape, struct stn_box *box, int d,
	 int64_t beyond)
{
	int64_t high = (int64_t)shape->size[d] + beyond;

	if (box->low[d] < -beyond)
		box->low[d] = -beyond;
	if (box->high[d] > high)
		box->high[d] = high;
}

struct stn_box
stn_shape_step(const struct stn_shape *shape, const struct stn_box *box,
	       uint32_t left)
{
	struct stn_box step = *box;

	for (int d = 0; d < STN_DIRECTIONS; d++) {
		box_widen(&step, d, (int64_t)left * shape->reach[d]);
		if (!shape->periodic)
			box_clip(shape, &step, d, 0);
	}
	return step;
}

struct stn_box
stn_shape_fill(const struct stn_shape *shape, const struct stn_box *box)
{
	struct stn_box fill = *box;

	for (int d = 0; d < STN_DIRECTIONS; d++) {
		box_widen(&fill, d, shape->halo[d]);
		if (!shape->periodic)
			box_clip(shape, &fill, d, shape->reach[d]);
	}
	return fill;
}

uint32_t
stn_shape_outside(const struct stn_shape *shape, const struct stn_box *box,
		  struct stn_box outside[STN_OUTSIDES])
{
	struct stn_box rest = *box;
	uint32_t count = 0;

	for (int d = 0; d < STN_DIRECTIONS; d++)
		box_widen(&rest, d, shape->reach[d]);
	for (int d = 0; d < STN_DIRECTIONS && !shape->periodic; d++) {
		int64_t size = (int64_t)shape->size[d];

		if (rest.low[d] < 0) {
			outside[count] = rest;
			outside[count++].high[d] = rest.low[d] = 0;
		}
		if (rest.high[d] > size) {
			outside[count] = rest;
			outside[count++].low[d] = rest.high[d] = size;
		}
	}
	return count;
}

uint32_t
stn_shape_places(const struct stn_shape *shape)
{
	return (2 * shape->looks[0] + 1) * (2 * shape->looks[1] + 1) *
	       (2 * shape->looks[2] + 1);
}

/* Returns false for the part itself, and for an edge's place of a star. */
static bool
place_offset(const struct stn_shape *shape, uint32_t place,
	     int64_t offset[STN_DIRECTIONS])
{
	int away = 0;

	for (int d = STN_DIRECTIONS - 1; d >= 0; d--) {
		uint32_t wide = 2 * shape->looks[d] + 1;

		offset[d] = (int64_t)(place % wide) - shape->looks[d];
		place /= wide;
		away += offset[d] != 0;
	}
	return away == 1 || (away && !shape->star);
}

/*
 * Moves @at by @offset, and back into the grid if it is periodic. *@turns_p: by
 * how many grids each coordinate was moved back. Returns false for a place
 * outside of the grid.
 */
static bool
move(const struct stn_shape *shape, int64_t at[STN_DIRECTIONS],
     const int64_t offset[STN_DIRECTIONS], int sign,
     int64_t turns[STN_DIRECTIONS])
{
	for (int d = 0; d < STN_DIRECTIONS; d++) {
		int64_t count = shape->count[d];

		at[d] += sign * offset[d];
		turns[d] = at[d] < 0 ? -((-at[d] + count - 1) / count)
				     : at[d] / count;
		if (turns[d] && !shape->periodic)
			return false;
		at[d] -= turns[d] * count;
	}
	return true;
}

static uint32_t
part_at(const struct stn_shape *shape, const int64_t at[STN_DIRECTIONS])
{
	return (uint32_t)((at[0] * shape->count[1] + at[1]) * shape->count[2] +
			  at[2]);
}

bool
stn_shape_needs(const struct stn_shape *shape, uint32_t to, uint32_t place,
		struct stn_piece *piece)
{
	int64_t offset[STN_DIRECTIONS], at[STN_DIRECTIONS];
	int64_t turns[STN_DIRECTIONS];
	struct stn_box need = stn_shape_box(shape, to), from;

	part_coordinates(shape, to, at);
	if (!place_offset(shape, place, offset) ||
	    !move(shape, at, offset, 1, turns))
		return false;
	from = box_at(shape, at);
	*piece =
		(struct stn_piece){ part_at(shape, at), to, place, need, from };
	for (int d = 0; d < STN_DIRECTIONS; d++) {
		int64_t shift = turns[d] * (int64_t)shape->size[d];
		struct stn_box *seen = &piece->at_to;

		box_widen(seen, d, shape->halo[d]);
		if (seen->low[d] < from.low[d] + shift)
			seen->low[d] = from.low[d] + shift;
		if (seen->high[d] > from.high[d] + shift)
			seen->high[d] = from.high[d] + shift;
		if (seen->low[d] >= seen->high[d])
			return false;
		piece->at_from.low[d] = seen->low[d] - shift;
		piece->at_from.high[d] = seen->high[d] - shift;
	}
	return true;
}

bool
stn_shape_gives(const struct stn_shape *shape, uint32_t from, uint32_t place,
		struct stn_piece *piece)
{
	int64_t offset[STN_DIRECTIONS], at[STN_DIRECTIONS];
	int64_t turns[STN_DIRECTIONS];

	part_coordinates(shape, from, at);
	return place_offset(shape, place, offset) &&
	       move(shape, at, offset, -1, turns) &&
	       stn_shape_needs(shape, part_at(shape, at), place, piece);
}

uint64_t
stn_box_points(const struct stn_box *box)
{
	uint64_t points = 1;

	for (int d = 0; d < STN_DIRECTIONS; d++)
		points *= (uint64_t)(box->high[d] - box->low[d]);
	return points;
}
