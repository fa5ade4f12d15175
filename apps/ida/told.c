#include "apps/ida/told.h"

uint64_t
told_below(struct puzzle puzzle, struct rest rest, int32_t depth)
{
	struct puzzle next;
	uint64_t units = 0;

	if (depth == 0)
		return told_units(rest);
	if (puzzle.distance == 0)
		return 0;
	for (int move = 0; move < PUZZLE_MOVES; move++)
		if (try_move(&puzzle, rest, move, &next))
			units += told_below(next, rest_after(rest, move),
					    depth - 1);
	return units;
}
