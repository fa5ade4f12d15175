/*
 * fuzz_puzzle.c: arbitrary bytes contain a 15-puzzle as puzzle.h promises, or
 * are refused with one line.
 */
#include <stdlib.h>
#include <string.h>

#include "apps/ida/puzzle.h"
#include "tests/fuzz/fuzz.h"

/* After each move, and after the move that undoes it, the puzzle is valid. */
static void
check_moves(const struct puzzle *puzzle)
{
	struct puzzle other, back;
	int move;

	for (move = 0; move < PUZZLE_MOVES; move++) {
		if (!puzzle_can_move(puzzle, move))
			continue;
		other = puzzle_move(*puzzle, move);
		require(puzzle_solvable(&other));
		require(abs(other.distance - puzzle->distance) == 1);
		back = puzzle_move(other, puzzle_undoing(move));
		require(back.tiles == puzzle->tiles);
		require(back.blank == puzzle->blank);
		require(back.distance == puzzle->distance);
	}
}

static void
check_puzzle(const struct puzzle *puzzle, long length)
{
	require(puzzle->blank >= 0 && puzzle->blank < PUZZLE_PLACES);
	require((puzzle->tiles >> 4 * puzzle->blank & 15) == 0);
	require(puzzle_solvable(puzzle));
	require(length == 0 || length >= puzzle->distance);
	require(length <= PUZZLE_MOVES_MOST);
	check_moves(puzzle);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct app_why why = { "" };
	struct puzzle puzzle;
	long length;

	if (puzzle_parse("input", (const char *)data, size, 1, &puzzle, &length,
			 &why))
		check_puzzle(&puzzle, length);
	else
		require(!strncmp(why.text, "input:", 6) &&
			!strchr(why.text, '\n'));
	return 0;
}
