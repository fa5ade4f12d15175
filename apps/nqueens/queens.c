#include "apps/nqueens/queens.h"

#include <stdlib.h>

/* Aligned, because the loop's speed depends on its address. */
__attribute__((aligned(64))) struct counts
queens_count(uint32_t all, uint32_t columns, uint32_t left, uint32_t right)
{
	struct counts sum = { 0, 1 }, below;
	uint32_t open, queen;

	if (columns == all)
		return (struct counts){ 1, 1 };
	for (open = all & ~(columns | left | right); open; open ^= queen) {
		queen = open & -open;
		below = queens_count(all, columns | queen, (left | queen) << 1,
				     (right | queen) >> 1);
		sum.ways += below.ways;
		sum.boards += below.boards;
	}
	return sum;
}

/*
 * Returns how many boards it looked at, as a negative number if the last of
 * them is a solution.
 */
static long
fill(uint32_t all, uint32_t columns, uint32_t left, uint32_t right,
     int8_t *column)
{
	long boards = 1, below;
	uint32_t open, queen;

	if (columns == all)
		return -1;
	for (open = all & ~(columns | left | right); open; open ^= queen) {
		queen = open & -open;
		*column = (int8_t)__builtin_ctz(queen);
		below = fill(all, columns | queen, (left | queen) << 1,
			     (right | queen) >> 1, column + 1);
		if (below < 0)
			return below - boards;
		boards += below;
	}
	return boards;
}

struct placement
queens_first(uint32_t all, uint32_t columns, uint32_t left, uint32_t right,
	     long *boards_p)
{
	struct placement first = { 0 };
	long boards = fill(all, columns, left, right,
			   first.column + __builtin_popcount(columns));

	first.found = boards < 0;
	*boards_p = labs(boards);
	return first;
}

/* Sequence A000170 of the On-Line Encyclopedia of Integer Sequences. */
long
queens_counted(long n)
{
	static const long counted[QUEENS_MOST + 1] = {
		1,	   1,	       0,	    0,	     2,	       10,
		4,	   40,	       92,	    352,     724,      2680,
		14200,	   73712,      365596,	    2279184, 14772512, 95815104,
		666090624, 4968057848, 39029188884,
	};

	return counted[n];
}

bool
queens_peaceful(const struct placement *placement, long n)
{
	const int8_t *column = placement->column;

	for (long i = 0; i < n; i++)
		for (long j = i + 1; j < n; j++) {
			long apart = column[j] - column[i];

			if (apart == 0 || apart == j - i || apart == i - j)
				return false;
		}
	return true;
}
