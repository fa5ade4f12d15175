#include "apps/ida/puzzle.h"

#include <stdlib.h>

#include "apps/random.h"
#include "apps/words.h"

#define FILE_BYTES_MOST (1 << 20)

static int
moves_between(int place, int other)
{
	return abs(place / PUZZLE_SIDE - other / PUZZLE_SIDE) +
	       abs(place % PUZZLE_SIDE - other % PUZZLE_SIDE);
}

bool
puzzle_make(const int tiles[PUZZLE_PLACES], struct puzzle *puzzle)
{
	unsigned seen = 0;

	*puzzle = (struct puzzle){ 0 };
	for (int place = 0; place < PUZZLE_PLACES; place++) {
		seen |= 1u << tiles[place];
		puzzle->tiles |= (uint64_t)tiles[place] << 4 * place;
		if (tiles[place] == 0)
			puzzle->blank = place;
		else
			puzzle->distance += moves_between(place, tiles[place]);
	}
	return seen == (1u << PUZZLE_PLACES) - 1;
}

/*
 * Every move swaps the blank with a tile. If the places have the colours of a
 * chessboard, every move also takes the blank to the other colour. So in a
 * puzzle that can be solved, the number of swaps that sort the places is odd if
 * the blank must change its colour, and even if not.
 */
bool
puzzle_solvable(const struct puzzle *puzzle)
{
	int swaps = moves_between(puzzle->blank, 0);

	for (int place = 0; place < PUZZLE_PLACES; place++)
		for (int later = place + 1; later < PUZZLE_PLACES; later++)
			swaps += (puzzle->tiles >> 4 * place & 15) >
				 (puzzle->tiles >> 4 * later & 15);
	return swaps % 2 == 0;
}

struct puzzle
puzzle_shuffle(long moves, uint64_t seed)
{
	struct puzzle puzzle = { .tiles = 0xfedcba9876543210 };
	struct app_random random = { seed };
	int last = -1, move;

	while (moves) {
		move = (int)app_random(&random, PUZZLE_MOVES);
		if (!puzzle_can_move(&puzzle, move) ||
		    (last >= 0 && move == puzzle_undoing(last)))
			continue;
		puzzle = puzzle_move(puzzle, move);
		last = move;
		moves--;
	}
	return puzzle;
}

static bool
read_tiles(struct words *words, struct puzzle *puzzle)
{
	int tiles[PUZZLE_PLACES], place;
	long tile;

	for (place = 0; place < PUZZLE_PLACES; place++) {
		if (!words_whole(words, "a tile", 0, PUZZLE_PLACES - 1, &tile))
			return false;
		tiles[place] = (int)tile;
	}
	if (!puzzle_make(tiles, puzzle))
		return words_fail(words, "each tile from 0 to %d must be there",
				  PUZZLE_PLACES - 1);
	return puzzle_solvable(puzzle) ||
	       words_fail(words, "no moves solve this puzzle: two of its tiles "
				 "would have to change places");
}

static bool
read_instance(struct words *words, long *number_p, struct puzzle *puzzle,
	      long *length_p)
{
	if (!words_whole(words, "an instance's number", 1, PUZZLE_NUMBER_MOST,
			 number_p) ||
	    !words_whole(words, "a solution's length", 0, PUZZLE_MOVES_MOST,
			 length_p) ||
	    !read_tiles(words, puzzle))
		return false;
	/* A move changes the distance by one, so both are even or both odd. */
	if (*length_p && (*length_p < puzzle->distance ||
			  (*length_p - puzzle->distance) % 2))
		return words_fail(words,
				  "the length can't be %ld, as the tiles are "
				  "%d moves from their places",
				  *length_p, puzzle->distance);
	return !words_more_on_line(words) ||
	       words_fail(words, "more than %d tiles", PUZZLE_PLACES);
}

bool
puzzle_parse(const char *path, const char *text, size_t bytes, long number,
	     struct puzzle *puzzle_p, long *length_p, struct app_why *why)
{
	struct words words = { path, text, text + bytes, why, 1, '#', "" };
	bool found = false;
	struct puzzle puzzle;
	long here, length;

	while (words_more(&words)) {
		if (!read_instance(&words, &here, &puzzle, &length))
			return false;
		if (here != number)
			continue;
		if (found)
			return words_fail(&words, "instance %ld comes twice",
					  number);
		found = true;
		*puzzle_p = puzzle;
		*length_p = length;
	}
	return found ||
	       app_because(why, "%s: there is no instance %ld", path, number);
}

bool
puzzle_read(const char *path, long number, struct puzzle *puzzle_p,
	    long *length_p, struct app_why *why)
{
	size_t bytes;
	char *text = app_read_file(path, FILE_BYTES_MOST, &bytes, why);
	bool read = text && puzzle_parse(path, text, bytes, number, puzzle_p,
					 length_p, why);

	free(text);
	return read;
}
