/*
 * puzzle.h: the 15-puzzle: fifteen tiles in a square of sixteen places, and a
 * blank that changes places with a tile above, below or beside it. Solved, the
 * blank comes first and the tiles follow in order.
 */
#ifndef IDA_PUZZLE_H
#define IDA_PUZZLE_H

#include <stddef.h>
#include <stdint.h>

#include "apps/app.h"

#define PUZZLE_SIDE 4
#define PUZZLE_NUMBER_MOST 1000000 /* of an instance in a file */
#define PUZZLE_PLACES (PUZZLE_SIDE * PUZZLE_SIDE)

/* No solution is longer: Brüngger et al., 1999. */
#define PUZZLE_MOVES_MOST 80

struct puzzle {
	uint64_t tiles; /* four bits a place, the first place lowest */
	int32_t blank;	/* its place */
	/* How many moves all tiles are from their places, by columns and rows:
	 * no solution is shorter. */
	int32_t distance;
};

/*
 * puzzle_make: the puzzle with these @tiles in its places.
 * Returns false, with @puzzle undefined, if it isn't each tile once.
 */
bool puzzle_make(const int tiles[PUZZLE_PLACES], struct puzzle *puzzle);

/* puzzle_solvable: can it be solved? Half of all can't. */
bool puzzle_solvable(const struct puzzle *puzzle);

/* puzzle_shuffle: what @moves random moves make of a solved one; none undoes
 * the one before. */
struct puzzle puzzle_shuffle(long moves, uint64_t seed);

/*
 * puzzle_parse: instance @number of those in @bytes bytes of @text. A line has
 * an instance: its number, the length of its shortest solution, 0 if unknown,
 * and the tiles row by row, 0 for the blank. "#" hides the rest of a line.
 * @path  the file's name, for what is said in @why
 * @length_p  the length, 0 if unknown
 * Returns false, with a line in @why, for anything else: all lines are looked
 * at.
 */
bool puzzle_parse(const char *path, const char *text, size_t bytes, long number,
		  struct puzzle *puzzle_p, long *length_p, struct app_why *why);

/* puzzle_read: puzzle_parse of a whole file; fails also if it can't be read. */
bool puzzle_read(const char *path, long number, struct puzzle *puzzle_p,
		 long *length_p, struct app_why *why);

/* Where the blank may go. */
enum puzzle_move { PUZZLE_UP, PUZZLE_LEFT, PUZZLE_RIGHT, PUZZLE_DOWN };

#define PUZZLE_MOVES 4

/* The move that undoes one. */
static inline int
puzzle_undoing(int move)
{
	return PUZZLE_DOWN - move;
}

static inline bool
puzzle_can_move(const struct puzzle *puzzle, int move)
{
	/* A bit for each place from which the blank can go there. */
	static const uint16_t from[PUZZLE_MOVES] = { 0xfff0, 0xeeee, 0x7777,
						     0x0fff };

	return from[move] >> puzzle->blank & 1;
}

/* puzzle_move: the puzzle after a move that it can make. */
static inline struct puzzle
puzzle_move(struct puzzle puzzle, int move)
{
	static const int8_t step[PUZZLE_MOVES] = { -PUZZLE_SIDE, -1, 1,
						   PUZZLE_SIDE };
	int to = puzzle.blank, from = to + step[move];
	uint64_t tile = puzzle.tiles >> 4 * from & 15;
	/* Its own row or column, and the place's; the tile goes there. */
	bool upright = move == PUZZLE_UP || move == PUZZLE_DOWN;
	int own = (int)(upright ? tile / PUZZLE_SIDE : tile % PUZZLE_SIDE);
	int here = upright ? from / PUZZLE_SIDE : from % PUZZLE_SIDE;
	bool closer = step[move] < 0 ? own > here : own < here;

	puzzle.tiles += (tile << 4 * to) - (tile << 4 * from);
	puzzle.blank = from;
	puzzle.distance += closer ? -1 : 1;
	return puzzle;
}

#endif
