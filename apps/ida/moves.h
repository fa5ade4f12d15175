/*
 * moves.h: the moves of a search that ends within a bound.
 */
#ifndef IDA_MOVES_H
#define IDA_MOVES_H

#include "apps/ida/puzzle.h"

/* The moves that are left within the bound, and the last move made. */
struct rest {
	int32_t moves, last;
};

#define NO_MOVE PUZZLE_MOVES /* before the first: no move undoes it */

/*
 * try_move: makes a move, into *@next, unless the move is impossible, undoes
 * the last one, or can't lead to a solution within the bound. Then returns
 * false.
 */
static inline bool
try_move(const struct puzzle *puzzle, struct rest rest, int move,
	 struct puzzle *next)
{
	if (move == puzzle_undoing(rest.last) || !puzzle_can_move(puzzle, move))
		return false;
	*next = puzzle_move(*puzzle, move);
	return next->distance < rest.moves;
}

/* rest_after: the rest when @move has been made. */
static inline struct rest
rest_after(struct rest rest, int move)
{
	return (struct rest){ rest.moves - 1, move };
}

#endif
