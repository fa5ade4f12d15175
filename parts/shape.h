/*
 * shape.h: how a grid is cut into parts, and what each part needs of the
 * others. Only arithmetic: the same grid has the same shape on all nodes.
 *
 * Directions are numbered 0 (planes), 1 (rows), 2 (columns). A grid of two
 * dimensions has one plane and no halo in direction 0.
 *
 * A part and its halo: a *block* of up to shape->block sweeps of a part reads
 * the points of its box and of the halo around it, which is block * colours
 * times as wide as the kernel looks. In step i of n steps (a sweep has a step
 * for each colour) the part computes its box and n - 1 - i times the kernel's
 * reach around it. So no other part is needed until the block is over. With
 * colours, columns are counted in pairs, so all boxes have even columns.
 */
#ifndef STN_PARTS_SHAPE_H
#define STN_PARTS_SHAPE_H

#include "parts/sateen_parts.h"
#include "transport/error.h"

#define STN_DIRECTIONS 3

/* A box of points: from low up to, but not including, high. */
struct stn_box {
	int64_t low[STN_DIRECTIONS], high[STN_DIRECTIONS];
};

struct stn_shape {
	uint64_t size[STN_DIRECTIONS];	/* of the grid, in points */
	uint32_t part[STN_DIRECTIONS];	/* of a part; the last may be smaller */
	uint32_t count[STN_DIRECTIONS]; /* parts in each direction */
	uint32_t reach[STN_DIRECTIONS]; /* how far a step shrinks its box */
	uint32_t halo[STN_DIRECTIONS];	/* around the box of a part */
	uint32_t looks[STN_DIRECTIONS]; /* a part needs others up to so many
					 * parts away */
	uint32_t element;		/* bytes */
	uint32_t number;		/* enum stn_number */
	uint32_t copies, colours;
	uint32_t block; /* sweeps of a block, at most */
	bool star;	/* only parts beside a face of the box are needed */
	bool periodic;
	bool hollow; /* parts and pieces have sizes, but no data */
};

/*
 * stn_shape_init: the shape of @grid. Returns STN_INVALID with @why if the grid
 * can't be.
 */
STN_CHECKED enum stn_err stn_shape_init(struct stn_shape *shape,
					const struct stn_grid *grid,
					struct stn_why *why);

/*
 * Cells (cells.h) have a shape as well: a grid of one row, with a point for each
 * record, and one more, so that there is a part if there are no records. Before
 * they are cut for the first time, the records of a part are those of its box,
 * by their indices. The size of a part's planes stands for the size of a brief
 * summary, and that of its rows for the offset of a record's place.
 */
#define STN_SHAPE_CELLS 200 /* in place of a number's type */
static inline bool
stn_shape_is_cells(const struct stn_shape *shape)
{
	return shape->number == STN_SHAPE_CELLS;
}

/* stn_shape_parts: the number of parts. */
uint32_t stn_shape_parts(const struct stn_shape *shape);

/* stn_shape_box: the box of part @part. */
struct stn_box stn_shape_box(const struct stn_shape *shape, uint32_t part);

/*
 * stn_shape_step: the box that a part computes in a step after which @left
 * steps of its block are left.
 */
struct stn_box stn_shape_step(const struct stn_shape *shape,
			      const struct stn_box *box, uint32_t left);

/* stn_shape_fill: the box that STN_FILL sets in the memory of a part. */
struct stn_box stn_shape_fill(const struct stn_shape *shape,
			      const struct stn_box *box);

/*
 * stn_shape_outside: the boxes of points outside of the grid that a step on
 * @box looks at. They don't overlap. Returns their number.
 */
#define STN_OUTSIDES (2 * STN_DIRECTIONS)
uint32_t stn_shape_outside(const struct stn_shape *shape,
			   const struct stn_box *box,
			   struct stn_box outside[STN_OUTSIDES]);

/*
 * A piece of a halo: the points that part @to needs of part @from. A periodic
 * grid may need a part at several places around @to; so a piece is identified
 * by @to and by @place, the number of the direction from @to to @from.
 */
struct stn_piece {
	uint32_t from, to, place;
	struct stn_box at_to;	/* coordinates around @to's box */
	struct stn_box at_from; /* the same points inside @from's box */
};

/*
 * stn_shape_places: the number of places around a part.
 * stn_shape_needs: the piece that @to needs from @place. Returns false if there
 * is none.
 * stn_shape_gives: the piece that part @from gives to the part for which @from
 * is at @place. Returns false if there is none.
 */
uint32_t stn_shape_places(const struct stn_shape *shape);
bool stn_shape_needs(const struct stn_shape *shape, uint32_t to, uint32_t place,
		     struct stn_piece *piece);
bool stn_shape_gives(const struct stn_shape *shape, uint32_t from,
		     uint32_t place, struct stn_piece *piece);

/* stn_box_points: the number of points in @box. */
uint64_t stn_box_points(const struct stn_box *box);

#endif
