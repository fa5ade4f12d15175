/*
 * first.c: the place of a board in lexicographic order is a number, in which
 * each of the first rows has some bits. The search is for the lowest place that
 * has a solution, which closes the scope of all later ones. Boards with the
 * same place are searched by one task.
 */
#include "apps/nqueens/first.h"

#define ROW_BITS 5

/* A search of the rows below a board. */
struct hunt {
	uint32_t all;
	uint64_t place;
	const struct stn_incumbent *best;
	struct stn_frame *frame;
	struct placement found; /* its first rows are filled */
};

static uint64_t
place_part(uint32_t columns, uint32_t queen)
{
	int row = __builtin_popcount(columns);

	return (uint64_t)__builtin_ctz(queen)
	       << ROW_BITS * (FIRST_DEPTH_MOST - 1 - row);
}

static int8_t
column_in(uint64_t place, int row)
{
	return (int8_t)(place >> ROW_BITS * (FIRST_DEPTH_MOST - 1 - row) &
			((1 << ROW_BITS) - 1));
}

/* Returns whether it has found a solution. */
static bool
hunt_fill(struct hunt *hunt, uint32_t columns, uint32_t left, uint32_t right)
{
	STN_FRAME = hunt->frame;
	uint32_t open, queen;

	STN_POLL(1);
	if (columns == hunt->all)
		return true;
	for (open = hunt->all & ~(columns | left | right); open;
	     open ^= queen) {
		if (STN_CLOSED(hunt->best, hunt->place))
			return false;
		queen = open & -open;
		hunt->found.column[__builtin_popcount(columns)] =
			(int8_t)__builtin_ctz(queen);
		if (hunt_fill(hunt, columns | queen, (left | queen) << 1,
			      (right | queen) >> 1))
			return true;
	}
	return false;
}

/* Looks for the first solution in the rows below the board. */
static void
search_leaf(STN_FRAME, struct hunt *hunt, struct stn_bound scope,
	    uint32_t columns, uint32_t left, uint32_t right)
{
	hunt->frame = stn_frame;
	for (int row = 0; row < __builtin_popcount(columns); row++)
		hunt->found.column[row] = column_in(hunt->place, row);
	if (hunt_fill(hunt, columns, left, right))
		STN_CLOSE(scope, hunt->place, hunt->found.column,
			  sizeof(hunt->found.column));
}

/* Spawns the last column first, so that the first column is tried first. */
STN_TASK_VOID(earlier, struct stn_bound, scope, uint64_t, place, uint32_t, all,
	      uint32_t, columns, uint32_t, left, uint32_t, right, int, depth)
{
	struct hunt hunt = { .all = all,
			     .place = place,
			     .best = STN_BOUND_AT(scope) };
	uint32_t open, queen;

	if (STN_CLOSED(hunt.best, place)) {
		STN_PROGRESS(queens_units(all, columns, left, right), 0);
		return;
	}
	if (depth == 0 || columns == all) {
		search_leaf(STN_PASS_FRAME, &hunt, scope, columns, left, right);
		STN_PROGRESS(queens_units(all, columns, left, right), 0);
		return;
	}
	STN_WORK(1);
	for (open = all & ~(columns | left | right); open; open ^= queen) {
		queen = 1u << (31 - __builtin_clz(open));
		STN_SPAWN(earlier, scope, place + place_part(columns, queen),
			  all, columns | queen, (left | queen) << 1,
			  (right | queen) >> 1, depth - 1);
	}
	STN_SYNC_ALL_VOID(earlier);
	STN_PROGRESS(queens_told(columns), 0);
}

struct placement
first_shared(STN_FRAME, long n, int depth)
{
	struct stn_bound scope = STN_SCOPE();
	struct placement first = { 0 };

	if (depth > FIRST_DEPTH_MOST)
		depth = FIRST_DEPTH_MOST;
	STN_CALL(earlier, scope, 0, queens_all(n), 0, 0, 0, depth);
	first.found =
		STN_BEST(scope, first.column, sizeof(first.column)) < INT64_MAX;
	return first;
}

struct placement
first_alone(STN_FRAME, long n)
{
	long boards;
	struct placement first = queens_first(queens_all(n), 0, 0, 0, &boards);

	STN_WORK((uint64_t)boards);
	return first;
}
