/*
 * ida: counts the shortest solutions of a 15-puzzle, by iterative deepening A*.
 * A search tries all sequences of moves that can still end within a bound. If
 * there is no solution, the next search has a bound that is two moves higher.
 * The first moves of a sequence are tasks.
 *
 * As in Satin's program, the bound is an argument. It is raised only when the
 * search with the last bound has ended.
 */
#include <stdio.h>
#include <string.h>
#include <sateen.h>

#include "apps/app.h"
#include "apps/ida/puzzle.h"
#include "apps/random.h"

#define SHUFFLE_MOST 1000000

struct options {
	long depth, number, shuffle, seed;
	const char *path;
	bool sequential;
};

static const char help[] =
	"usage: ida [--seq] [-d DEPTH] [FILE [NUMBER] | --shuffle MOVES]\n"
	"Counts the shortest solutions of a 15-puzzle: instance NUMBER\n"
	"(default 1) of a file like korf100.txt, or a puzzle that random "
	"moves\n"
	"make. Without both, the first of Korf's hundred instances, which\n"
	"takes 57 moves.\n"
	"\n"
	"      --shuffle MOVES  make MOVES random moves from the solved "
	"puzzle\n"
	"      --seed SEED      the seed of these moves (default 1)\n"
	"  -d, --depth DEPTH    spawn for the first DEPTH moves (default 12)\n"
	"  -s, --seq            the same search, without spawns\n"
	"  -h, --help           show this\n";

/* The moves that are left within the bound, and the last move made. */
struct rest {
	int32_t moves, last;
};

#define NO_MOVE PUZZLE_MOVES /* before the first: no move undoes it */

/*
 * Makes a move, into *@next, unless the move is impossible, undoes the last
 * one, or can't lead to a solution within the bound. Then returns false.
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

static inline struct rest
rest_after(struct rest rest, int move)
{
	return (struct rest){ rest.moves - 1, move };
}

/* Adds the solutions to *@solutions. Returns how many puzzles it looked at. */
static uint64_t
count(struct puzzle puzzle, struct rest rest, long *solutions)
{
	struct puzzle next;
	uint64_t looked = 1;

	if (puzzle.distance == 0) {
		++*solutions;
		return looked;
	}
	for (int move = 0; move < PUZZLE_MOVES; move++)
		if (try_move(&puzzle, rest, move, &next))
			looked +=
				count(next, rest_after(rest, move), solutions);
	return looked;
}

STN_TASK(long, ida, struct puzzle, puzzle, struct rest, rest, int32_t, depth)
{
	struct puzzle next;
	long solutions = 0;
	int move, spawned = 0;

	if (depth == 0 || puzzle.distance == 0) {
		STN_WORK(count(puzzle, rest, &solutions));
		return solutions;
	}
	for (move = 0; move < PUZZLE_MOVES; move++) {
		if (!try_move(&puzzle, rest, move, &next))
			continue;
		STN_SPAWN(ida, next, rest_after(rest, move), depth - 1);
		spawned++;
	}
	while (spawned--)
		solutions += STN_SYNC(ida);
	return solutions;
}

static long
ida_sequential(struct puzzle puzzle, struct rest rest, int32_t depth)
{
	struct puzzle next;
	long solutions = 0;

	if (depth == 0 || puzzle.distance == 0) {
		count(puzzle, rest, &solutions);
		return solutions;
	}
	for (int move = 0; move < PUZZLE_MOVES; move++)
		if (try_move(&puzzle, rest, move, &next))
			solutions += ida_sequential(
				next, rest_after(rest, move), depth - 1);
	return solutions;
}

static int
read_options(int argc, char **argv, struct options *to)
{
	const struct app_option table[] = {
		{ 0, "shuffle", "MOVES", .number = &to->shuffle, .least = 1,
		  .most = SHUFFLE_MOST },
		{ 0, "seed", "SEED", .number = &to->seed,
		  .most = APP_SEED_MOST },
		{ 'd', "depth", "DEPTH", .number = &to->depth,
		  .most = PUZZLE_MOVES_MOST },
		{ 's', "seq", .flag = &to->sequential },
		{ .value = "FILE", .text = &to->path },
		{ .value = "NUMBER",
		  .number = &to->number,
		  .least = 1,
		  .most = PUZZLE_NUMBER_MOST },
		{ 0 },
	};
	int status = app_options(argc, argv, help, table);

	if (status == APP_GO_ON && to->path && to->shuffle)
		return app_misuse("give a FILE or --shuffle, not both");
	return status;
}

struct instance {
	struct puzzle puzzle;
	long length; /* of the shortest solution; 0 if unknown */
	char name[80];
};

static const int korf_1[PUZZLE_PLACES] = { 14, 13, 15, 7, 11, 12, 9,  5,
					   6,  0,  2,  1, 4,  8,  10, 3 };

static bool
get_instance(const struct options *options, struct instance *to,
	     struct app_why *why)
{
	if (options->path) {
		snprintf(to->name, sizeof(to->name), "%s %ld",
			 basename(options->path), options->number);
		return puzzle_read(options->path, options->number, &to->puzzle,
				   &to->length, why);
	}
	to->length = options->shuffle ? 0 : 57;
	if (!options->shuffle) {
		strcpy(to->name, "Korf 1");
		return puzzle_make(korf_1, &to->puzzle);
	}
	snprintf(to->name, sizeof(to->name), "%ld random moves",
		 options->shuffle);
	to->puzzle = puzzle_shuffle(options->shuffle, (uint64_t)options->seed);
	return true;
}

/*
 * Searches with higher and higher bounds, by the task or without it (--seq).
 * Returns the length of the shortest solutions.
 */
static int32_t
solve(STN_FRAME, struct puzzle puzzle, const struct options *options,
      long *solutions_p)
{
	struct rest rest = { puzzle.distance, NO_MOVE };
	int32_t depth = (int32_t)options->depth;

	for (;; rest.moves += 2) {
		*solutions_p = options->sequential
				       ? ida_sequential(puzzle, rest, depth)
				       : STN_CALL(ida, puzzle, rest, depth);
		if (*solutions_p)
			return rest.moves;
	}
}

STN_MAIN(argc, argv)
{
	struct options options = { .depth = 12, .number = 1, .seed = 1 };
	int status = read_options(argc, argv, &options);
	struct instance instance;
	struct app_why why;
	double start, seconds;
	long solutions;
	int32_t moves;

	if (status != APP_GO_ON)
		return status;
	if (!get_instance(&options, &instance, &why))
		return app_complain(APP_BAD_INPUT, "%s", why.text);
	start = STN_SECONDS();
	moves = solve(STN_PASS_FRAME, instance.puzzle, &options, &solutions);
	seconds = STN_SECONDS() - start;
	printf("ida(%s) = %d moves, %ld solutions\n", instance.name, moves,
	       solutions);
	printf("time: %.3f s\n", seconds);
	if (instance.length && moves != instance.length)
		return app_complain(1, "%s takes %ld moves", instance.name,
				    instance.length);
	return 0;
}
