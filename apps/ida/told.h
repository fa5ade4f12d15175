/*
 * told.h: units of progress: sequences of a fixed number of moves that can
 * still end within the bound. A bound is 2 moves above the last; each of its
 * units counts four times as much, if 20 to 60 moves are left.
 *
 * Without --first, ida shows no bar if --depth is less than 4 or more than 18:
 * it does not tell the total, although above 18 its tasks count units.
 */
#ifndef IDA_TOLD_H
#define IDA_TOLD_H

#include "apps/ida/moves.h"

#define TOLD_DEPTH_MOST 14 /* moves whose sequences a search counts first */

/* told_units: the units of one sequence, after which @rest is left. */
static inline uint64_t
told_units(struct rest rest)
{
	int moves = rest.moves - 20;

	return UINT64_C(1) << (moves < 0 ? 0 : moves > 40 ? 40 : moves);
}

/* told_below: the sum over all sequences of @depth more moves. */
uint64_t told_below(struct puzzle puzzle, struct rest rest, int32_t depth);

#endif
