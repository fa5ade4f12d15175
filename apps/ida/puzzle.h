/*
 * puzzle.h: the 15-puzzle. A square of sixteen places has fifteen tiles and a
 * blank. A move swaps the blank with a tile above, below or beside it. In the
 * solved puzzle the blank is in the first place, and the tiles follow in order.
 */
#ifndef IDA_PUZZLE_H
#define IDA_PUZZLE_H

#include <stddef.h>
#include <stdint.h>

#include "apps/app.h"

#define PUZZLE_SIDE 4
#define PUZZLE_NUMBER_MOST 1000000 /* number of an instance in a file */
#define PUZZLE_PLACES (PUZZLE_SIDE * PUZZLE_SIDE)

/* No shortest solution has more moves (Brüngger et al., 1999). */
#define PUZZLE_MOVES_MOST 80

struct puzzle {
	uint64_t tiles; /* four bits for each place; the first is the lowest */
	int32_t blank;	/* the place of the blank */
	/*
	 * The sum over all tiles of the columns and rows between the tile and
	 * its place in the solved puzzle. No solution has fewer moves.
	 */
	int32_t distance;
};

/*
 * puzzle_make: sets *@puzzle to the puzzle with @tiles in its places; 0 is the
 * blank. Returns false, with *@puzzle undefined, unless each tile is there
 * once.
 */
bool puzzle_make(const int tiles[PUZZLE_PLACES], struct puzzle *puzzle);

/* puzzle_solvable: true if the puzzle can be solved. Half of all can't. */
bool puzzle_solvable(const struct puzzle *puzzle);

/*
 * puzzle_shuffle: the solved puzzle after @moves random moves, of which none
 * undoes the move before it.
 */
struct puzzle puzzle_shuffle(long moves, uint64_t seed);

/*
 * puzzle_parse: reads instance @number from @text, which has @bytes bytes. Each
 * line has an instance: its number, the length of its shortest solution (0 if
 * unknown), and the tiles row by row, with 0 for the blank. "#" begins a
 * comment to the line's end. @path  the file's name, for complaints @length_p
 * receives the length of the shortest solution, 0 if unknown Returns false,
 * with a line in @why, if the text has another format in any line or lacks the
 * instance.
 */
bool puzzle_parse(const char *path, const char *text, size_t bytes, long number,
		  struct puzzle *puzzle_p, long *length_p, struct app_why *why);

/*
 * puzzle_read: like puzzle_parse, for a file. Also fails if the file can't be
 * read.
 */
bool puzzle_read(const char *path, long number, struct puzzle *puzzle_p,
		 long *length_p, struct app_why *why);

/* The direction in which the blank moves. */
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
	/* For each move, a bit for each place where the blank can do it. */
	static const uint16_t from[PUZZLE_MOVES] = { 0xfff0, 0xeeee, 0x7777,
						     0x0fff };

	return from[move] >> puzzle->blank & 1;
}

/* puzzle_move: the puzzle after @move, which must be possible. */
static inline struct puzzle
puzzle_move(struct puzzle puzzle, int move)
{
	static const int8_t step[PUZZLE_MOVES] = { -PUZZLE_SIDE, -1, 1,
						   PUZZLE_SIDE };
	int to = puzzle.blank, from = to + step[move];
	uint64_t tile = puzzle.tiles >> 4 * from & 15;
	/* The row (or column) of the tile's own place, and of its new place. */
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
