/*
 * morton.h: the keys of records, and the cells that they name: arithmetic only.
 *
 * A key has the octants of the cells that contain a record, from the cube of
 * all records down to level STN_CELL_LEVELS: the Morton order of its place.
 * Behind them come octants of the record's index, so that no two records have
 * equal keys: cells that no place divides are divided by the indices.
 */
#ifndef STN_PARTS_MORTON_H
#define STN_PARTS_MORTON_H

#include <stdbool.h>
#include <stdint.h>

#include "parts/sateen_cells.h"

#define STN_CELL_LEVELS 21 /* by place: 63 bits */
#define STN_KEY_LEVELS 42  /* by place and index */

/* The cube of all records. */
struct stn_cube {
	double low[3], width;
};

struct stn_record_key {
	uint64_t place, index;
};

/*
 * stn_cube_around: the cube that contains the box from @low to @high. If the
 * box is empty, or a point, the cube has some width all the same.
 */
struct stn_cube stn_cube_around(const double low[3], const double high[3]);

/*
 * stn_cube_divide: enlarges the cube so that its extent until now has @across
 * cells of one level, the first with so many, from the lowest corner on.
 */
struct stn_cube stn_cube_divide(struct stn_cube cube, uint32_t across);

/* stn_morton: the key of a place inside of the cube. */
uint64_t stn_morton(const struct stn_cube *cube, const double place[3]);

/*
 * stn_key_octant: in which octant of the cell of level @level the record is; 0
 * to 7. @level is below STN_KEY_LEVELS.
 * stn_key_bin: the octants of @levels levels below level @level, as one number.
 * stn_key_first: the lowest key of the cell of level @level that has @key.
 * stn_key_last: the highest one.
 */
uint32_t stn_key_octant(struct stn_record_key key, uint32_t level);
uint32_t stn_key_bin(struct stn_record_key key, uint32_t level,
		     uint32_t levels);
struct stn_record_key stn_key_first(struct stn_record_key key, uint32_t level);
struct stn_record_key stn_key_last(struct stn_record_key key, uint32_t level);

/* stn_key_below: whether @a comes before @b. */
static inline bool
stn_key_below(struct stn_record_key a, struct stn_record_key b)
{
	return a.place != b.place ? a.place < b.place : a.index < b.index;
}

/*
 * stn_cell_at: the cell with @key at level @level. Beyond STN_CELL_LEVELS: the
 * deepest cell that contains it.
 */
struct stn_cell stn_cell_at(const struct stn_cube *cube,
			    struct stn_record_key key, uint32_t level);

#endif
