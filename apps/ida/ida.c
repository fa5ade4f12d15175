/*
 * ida: counts the shortest solutions of a 15-puzzle, or finds the first of them
 * (first.c), by iterative deepening A*.
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
#include "apps/ida/first.h"
#include "apps/ida/moves.h"
#include "apps/ida/puzzle.h"
#include "apps/ida/told.h"
#include "apps/random.h"

#define SHUFFLE_MOST 1000000

/* A unit of progress is a task that may spawn this many moves deeper. */
#define TOLD_LEFT 4

struct options {
	long depth, number, shuffle, seed;
	const char *path;
	bool sequential, first;
};

static const char help[] =
	"usage: ida [--seq] [--first] [-d DEPTH] [FILE [NUMBER] | --shuffle "
	"MOVES]\n"
	"Counts the shortest solutions of a 15-puzzle: instance NUMBER\n"
	"(default 1) of a file like korf100.txt, or a puzzle that random "
	"moves\n"
	"make. Without both, the first of Korf's hundred instances, which\n"
	"takes 57 moves.\n"
	"\n"
	"      --shuffle MOVES  make MOVES random moves from the solved "
	"puzzle\n"
	"      --seed SEED      the seed of these moves (default 1)\n"
	"  -f, --first          find the first solution in the order up, left,\n"
	"                       right, down (of the blank), and don't count\n"
	"  -d, --depth DEPTH    spawn for the first DEPTH moves (default 12; at\n"
	"                       most 31 with --first)\n"
	"  -s, --seq            the same search, without spawns\n"
	"  -h, --help           show this\n";

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
	uint64_t units = depth == TOLD_LEFT ? told_units(rest) : 0;

	if (depth == 0 || puzzle.distance == 0) {
		STN_WORK(count(puzzle, rest, &solutions));
		STN_PROGRESS(units, 0);
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
	STN_PROGRESS(units, 0);
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
		{ 'f', "first", .flag = &to->first },
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

/* The task searches with one bound, and tells its progress. */
static long
search(STN_FRAME, struct puzzle puzzle, struct rest rest, int32_t depth)
{
	int32_t told = depth - TOLD_LEFT;

	if (told >= 0 && told <= TOLD_DEPTH_MOST)
		STN_PROGRESS(0, told_below(puzzle, rest, told));
	return STN_CALL(ida, puzzle, rest, depth);
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
		*solutions_p =
			options->sequential
				? ida_sequential(puzzle, rest, depth)
				: search(STN_PASS_FRAME, puzzle, rest, depth);
		if (*solutions_p)
			return rest.moves;
	}
}

/* Counts the shortest solutions. Returns their length. */
static int32_t
count_all(STN_FRAME, const struct instance *instance,
	  const struct options *options)
{
	double start = STN_SECONDS(), seconds;
	long solutions;
	int32_t moves = solve(STN_PASS_FRAME, instance->puzzle, options,
			      &solutions);

	STN_PROGRESS_END();
	seconds = STN_SECONDS() - start;
	printf("ida(%s) = %d moves, %ld solutions\n", instance->name, moves,
	       solutions);
	printf("time: %.3f s\n", seconds);
	return moves;
}

/* Prints the moves; returns whether they solve the puzzle. */
static bool
print_moves(struct puzzle puzzle, const struct first_solution *first)
{
	printf("moves: ");
	for (int32_t i = 0; i < first->moves; i++) {
		int move = first->move[i];

		if (move >= PUZZLE_MOVES || !puzzle_can_move(&puzzle, move))
			break;
		putchar("ULRD"[move]);
		puzzle = puzzle_move(puzzle, move);
	}
	printf("\n");
	return puzzle.distance == 0;
}

/* Finds the first of the shortest solutions. Returns its length, or -1. */
static int32_t
find_first(STN_FRAME, const struct instance *instance,
	   const struct options *options)
{
	double start = STN_SECONDS(), seconds;
	struct first_solution first =
		options->sequential
			? first_alone(STN_PASS_FRAME, instance->puzzle)
			: first_shared(STN_PASS_FRAME, instance->puzzle,
				       (int)options->depth);
	bool right;

	STN_PROGRESS_END();
	seconds = STN_SECONDS() - start;
	printf("ida(%s) = %d moves\n", instance->name, first.moves);
	right = print_moves(instance->puzzle, &first);
	printf("time: %.3f s\n", seconds);
	return right ? first.moves : -1;
}

STN_MAIN(argc, argv)
{
	struct options options = { .depth = 12, .number = 1, .seed = 1 };
	int status = read_options(argc, argv, &options);
	struct instance instance;
	struct app_why why;
	int32_t moves;

	if (status != APP_GO_ON)
		return status;
	if (!get_instance(&options, &instance, &why))
		return app_complain(APP_BAD_INPUT, "%s", why.text);
	moves = options.first
			? find_first(STN_PASS_FRAME, &instance, &options)
			: count_all(STN_PASS_FRAME, &instance, &options);
	if (moves < 0)
		return app_complain(1, "these moves don't solve the puzzle");
	if (instance.length && moves != instance.length)
		return app_complain(1, "%s takes %ld moves", instance.name,
				    instance.length);
	return 0;
}
