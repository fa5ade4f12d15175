/*
 * queens.h: N queens on an N by N board so that none attacks another: what is
 * done where nothing is spawned, and what is known of the results.
 *
 * A board whose first rows are placed is three sets of columns, one bit each:
 * those taken, and those that the next row's queen would be attacked on along
 * either diagonal. Going down a row moves the diagonals by one bit. Columns are
 * tried from the lowest bit on: that is the lexicographic order. (The sets are
 * no structure because compilers pass that in fewer registers, packed.)
 */
#ifndef NQUEENS_QUEENS_H
#define NQUEENS_QUEENS_H

#include <stdbool.h>
#include <stdint.h>

#define QUEENS_MOST 20

/* A solution: the column of each row's queen; or none. */
struct placement {
	bool found;
	int8_t column[QUEENS_MOST];
};

/* queens_all: all columns of a board of @n. */
static inline uint32_t
queens_all(long n)
{
	return (1u << n) - 1;
}

/* Of a search: ways to fill the board, and boards looked at, the work. */
struct counts {
	long ways, boards;
};

/* queens_count: in how many ways the board can be filled. */
struct counts queens_count(uint32_t all, uint32_t columns, uint32_t left,
			   uint32_t right);

/*
 * queens_first: the first way to fill the board, in lexicographic order, found
 * by trying all before it. Of rows already placed it has no columns.
 * @boards_p  how many boards it looked at
 */
struct placement queens_first(uint32_t all, uint32_t columns, uint32_t left,
			      uint32_t right, long *boards_p);

/* queens_counted: the published number of solutions for @n. */
long queens_counted(long n);

/* queens_peaceful: does none of @n queens attack another? */
bool queens_peaceful(const struct placement *placement, long n);

#endif
