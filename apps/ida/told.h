/*
 * told.h: the units of progress of a search: the sequences of so many moves
 * that can still end within the bound. A search with the next bound takes
 * several times as long, so its units count four times as much.
 */
#ifndef IDA_TOLD_H
#define IDA_TOLD_H

#include "apps/ida/moves.h"

#define TOLD_DEPTH_MOST 14 /* moves whose sequences a search counts first */

/* told_units: those of a sequence after which @rest is left. */
static inline uint64_t
told_units(struct rest rest)
{
	int moves = rest.moves - 20;

	return UINT64_C(1) << (moves < 0 ? 0 : moves > 40 ? 40 : moves);
}

/* told_below: those of all sequences of @depth more moves. */
uint64_t told_below(struct puzzle puzzle, struct rest rest, int32_t depth);

#endif
