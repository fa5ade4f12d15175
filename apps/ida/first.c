/*
 * first.c: each bound has a scope of its own, which the first solution within
 * the bound closes. The key of a place is its first moves.
 */
#include "apps/ida/first.h"

#include <string.h>

#include "apps/ida/told.h"

#define MOVE_BITS 2
#define LOOK 64 /* puzzles between two looks at the scope */
#define TOLD_MOVES 8 /* of sequences that are units of progress */

_Static_assert(PUZZLE_MOVES <= 1 << MOVE_BITS, "a move fits into its bits");

/* A search below a place. */
struct hunt {
	uint64_t looked; /* number of puzzles */
	uint64_t key;
	const struct stn_incumbent *scope; /* NULL: a search alone */
	struct stn_frame *frame;
	uint8_t move[PUZZLE_MOVES_MOST]; /* those of the place are there */
};

enum found { NONE, FOUND, CLOSED };

/* Returns whether the scope is closed. */
static bool
look(struct hunt *hunt)
{
	STN_FRAME = hunt->frame;

	STN_POLL(LOOK);
	return hunt->scope && STN_CLOSED(hunt->scope, hunt->key);
}

static enum found
seek(struct hunt *hunt, struct puzzle puzzle, struct rest rest, int made)
{
	enum found found = NONE;
	struct puzzle next;

	if (!(++hunt->looked % LOOK) && look(hunt))
		return CLOSED;
	if (puzzle.distance == 0)
		return FOUND;
	for (int move = 0; move < PUZZLE_MOVES && !found; move++) {
		if (!try_move(&puzzle, rest, move, &next))
			continue;
		hunt->move[made] = (uint8_t)move;
		found = seek(hunt, next, rest_after(rest, move), made + 1);
	}
	return found;
}

static void
begin_moves(struct hunt *hunt, int made)
{
	for (int i = 0; i < made; i++)
		hunt->move[i] =
			hunt->key >> (64 - MOVE_BITS * (i + 1)) &
			((1 << MOVE_BITS) - 1);
}

static void
seek_leaf(STN_FRAME, struct stn_bound scope, uint64_t key, struct puzzle puzzle,
	  struct rest rest, int made)
{
	struct hunt hunt = { .key = key,
			     .scope = STN_BOUND_AT(scope),
			     .frame = stn_frame };

	begin_moves(&hunt, made);
	if (seek(&hunt, puzzle, rest, made) == FOUND)
		STN_CLOSE(scope, key, hunt.move, sizeof(hunt.move));
	STN_WORK(hunt.looked % LOOK);
}

/* The moves of a sequence that is a unit of progress. */
static int32_t
told_moves(int32_t depth)
{
	return depth < TOLD_MOVES ? depth : TOLD_MOVES;
}

/* The units of a sequence of @made moves. */
static uint64_t
units(struct puzzle puzzle, struct rest rest, int32_t made, int32_t depth)
{
	int32_t left = told_moves(depth) - made;

	return left < 0 ? 0 : told_below(puzzle, rest, left);
}

/* Spawns the last move first, so that the first move is tried first. */
STN_TASK_VOID(earlier, struct stn_bound, scope, uint64_t, key, struct puzzle,
	      puzzle, struct rest, rest, int32_t, made, int32_t, depth)
{
	struct puzzle next;
	int spawned = 0;

	if (STN_CLOSED(STN_BOUND_AT(scope), key)) {
		STN_PROGRESS(units(puzzle, rest, made, depth), 0);
		return;
	}
	if (made == depth || puzzle.distance == 0) {
		seek_leaf(STN_PASS_FRAME, scope, key, puzzle, rest, made);
		STN_PROGRESS(units(puzzle, rest, made, depth), 0);
		return;
	}
	STN_WORK(1);
	for (int move = PUZZLE_MOVES - 1; move >= 0; move--) {
		if (!try_move(&puzzle, rest, move, &next))
			continue;
		STN_SPAWN(earlier, scope,
			  key | (uint64_t)move
					<< (64 - MOVE_BITS * (made + 1)),
			  next, rest_after(rest, move), made + 1, depth);
		spawned++;
	}
	while (spawned--)
		STN_SYNC(earlier);
	if (made == told_moves(depth))
		STN_PROGRESS(told_units(rest), 0);
}

static bool
search_within(STN_FRAME, struct puzzle puzzle, struct rest rest, int depth,
	      uint8_t *move)
{
	struct stn_bound scope = STN_SCOPE();

	STN_PROGRESS(0, units(puzzle, rest, 0, depth));
	STN_CALL(earlier, scope, 0, puzzle, rest, 0, depth);
	return STN_SOLVED(scope, move, PUZZLE_MOVES_MOST);
}

struct first_solution
first_shared(STN_FRAME, struct puzzle puzzle, int depth)
{
	struct first_solution first = { .moves = puzzle.distance };

	if (depth > FIRST_DEPTH_MOST)
		depth = FIRST_DEPTH_MOST;
	while (!search_within(STN_PASS_FRAME, puzzle,
			      (struct rest){ first.moves, NO_MOVE }, depth,
			      first.move))
		first.moves += 2;
	return first;
}

struct first_solution
first_alone(STN_FRAME, struct puzzle puzzle)
{
	struct first_solution first = { .moves = puzzle.distance };
	struct hunt hunt = { .frame = stn_frame };

	while (seek(&hunt, puzzle, (struct rest){ first.moves, NO_MOVE }, 0) ==
	       NONE)
		first.moves += 2;
	STN_WORK(hunt.looked % LOOK);
	memcpy(first.move, hunt.move, sizeof(first.move));
	return first;
}
