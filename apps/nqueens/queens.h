/*
 * queens.h: N queens on an N by N board so that none attacks another: the
 * search of a board without spawns, and the known results.
 *
 * A board whose first rows have queens is three sets of columns, with a bit for
 * each column. One set has the columns with a queen (@columns). The other two
 * have the columns of the next row that a queen attacks along one or the other
 * diagonal (@left, @right); they move by one bit from row to row. A search
 * tries columns from the lowest bit on, which is the lexicographic order. The
 * sets are separate arguments because compilers pass a structure of them packed
 * into fewer registers.
 */
#ifndef NQUEENS_QUEENS_H
#define NQUEENS_QUEENS_H

#include <stdbool.h>
#include <stdint.h>

#define QUEENS_MOST 20

/* A solution: the column of each row's queen. Or none: found is false. */
struct placement {
	bool found;
	int8_t column[QUEENS_MOST];
};

/* queens_all: the set of all columns of an @n by @n board. */
static inline uint32_t
queens_all(long n)
{
	return (1u << n) - 1;
}

/* A search's solutions, and the boards that it looked at, the unit of work. */
struct counts {
	long ways, boards;
};

/* queens_count: counts the ways to fill the board. */
struct counts queens_count(uint32_t all, uint32_t columns, uint32_t left,
			   uint32_t right);

/*
 * queens_first: the first way to fill the board, in lexicographic order. The
 * result has only the columns of the rows that had no queen yet.
 * @boards_p  receives the number of boards that it looked at
 */
struct placement queens_first(uint32_t all, uint32_t columns, uint32_t left,
			      uint32_t right, long *boards_p);

/*
 * queens_units: the units of progress of a board with queens in @columns: the
 * ways to stand of the queens in the first two rows. A board with more rows has
 * none. The empty board of n columns has (n - 1)(n - 2).
 */
static inline uint64_t
queens_units(uint32_t all, uint32_t columns, uint32_t left, uint32_t right)
{
	uint64_t n = (uint64_t)__builtin_popcount(all);
	int rows = __builtin_popcount(columns);

	if (rows == 0)
		return (n - 1) * (n - 2);
	if (rows == 1)
		return (uint64_t)__builtin_popcount(all &
						    ~(columns | left | right));
	return rows == 2;
}

/*
 * queens_told: the units that a task reports after its sync: 1 if its board has
 * two rows, else 0.
 */
static inline uint64_t
queens_told(uint32_t columns)
{
	return __builtin_popcount(columns) == 2;
}

/* queens_counted: the published number of solutions for @n, 1 to 20. */
long queens_counted(long n);

/* queens_peaceful: true if none of the @n queens attacks another. */
bool queens_peaceful(const struct placement *placement, long n);

#endif
