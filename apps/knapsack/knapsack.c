/*
 * knapsack: finds the most valuable items that fit into a knapsack. The choices
 * of the first items are tasks; search.c makes the other choices.
 *
 * All tasks share the best value so far (shared.c). With --fixed, as in Satin's
 * program, the best known value is an argument: a better value that a task
 * finds is known only to that task. So there is much more work, but its amount
 * doesn't depend on where and when tasks run.
 */
#include <stdio.h>
#include <string.h>
#include <sateen.h>

#include "apps/app.h"
#include "apps/knapsack/search.h"
#include "apps/knapsack/shared.h"
#include "apps/random.h"

struct options {
	const char *path;
	long number, depth, generate, measures, seed;
	bool sequential, fixed;
};

static const char help[] =
	"usage: knapsack [--seq] [--fixed] [-d DEPTH] FILE [NUMBER] | "
	"--generate ITEMS\n"
	"Finds the most valuable items that fit into a knapsack. FILE has the\n"
	"format of OR-Library's mknap1, with at most 64 items and 10\n"
	"constraints. Solves its problem NUMBER (default 1).\n"
	"\n"
	"  -g, --generate ITEMS     make ITEMS random items instead, 1 to 64\n"
	"      --constraints COUNT  with COUNT weights each (default 1)\n"
	"      --seed SEED          the seed of the items (default 1)\n"
	"  -d, --depth DEPTH        spawn for the first DEPTH items (default "
	"20)\n"
	"  -s, --seq                the same search, without spawns\n"
	"      --fixed              a better choice is known only to the task\n"
	"                           that finds it; so the work is always the "
	"same\n"
	"  -h, --help               show this\n";

/*
 * The better of two choices, if it is worth more than @limit. If both are
 * equal, @first, which comes first in search order.
 */
static struct knapsack_choice
better(struct knapsack_choice first, struct knapsack_choice second,
       int64_t limit)
{
	return first.value > limit && first.value >= second.value ? first
								  : second;
}

/* Like knapsack_search, with tasks for the choices up to state.depth. */
STN_TASK(struct knapsack_choice, choose, struct stn_in, problem,
	 struct knapsack_state, state, int64_t, limit)
{
	struct knapsack_choice taken, best = { .value = limit };
	const struct knapsack *all = problem.at;
	struct knapsack_state left;
	uint64_t nodes;
	bool fits;

	if (state.next == state.depth || state.next == all->items) {
		best = knapsack_search(all, state, limit, &nodes);
		STN_WORK(nodes);
		return best;
	}
	fits = knapsack_fits(all, &state);
	if (fits)
		STN_SPAWN(choose, problem, knapsack_take(all, state), limit);
	left = knapsack_leave(state);
	if (knapsack_bound(all, &left) > limit)
		best = STN_CALL(choose, problem, left, limit);
	if (fits) {
		taken = STN_SYNC(choose);
		taken.taken |= 1ull << state.next;
		best = better(taken, best, limit);
	}
	return best;
}

static struct knapsack_choice
choose_sequential(const struct knapsack *all, struct knapsack_state state,
		  int64_t limit)
{
	struct knapsack_choice taken, best = { .value = limit };
	struct knapsack_state left;
	uint64_t nodes;

	if (state.next == state.depth || state.next == all->items)
		return knapsack_search(all, state, limit, &nodes);
	left = knapsack_leave(state);
	if (knapsack_bound(all, &left) > limit)
		best = choose_sequential(all, left, limit);
	if (knapsack_fits(all, &state)) {
		taken = choose_sequential(all, knapsack_take(all, state),
					  limit);
		taken.taken |= 1ull << state.next;
		best = better(taken, best, limit);
	}
	return best;
}

static int
read_options(int argc, char **argv, struct options *to)
{
	const struct app_option table[] = {
		{ 'g', "generate", "ITEMS", .number = &to->generate, .least = 1,
		  .most = KNAPSACK_ITEMS_MOST },
		{ 0, "constraints", "COUNT", .number = &to->measures,
		  .least = 1, .most = KNAPSACK_MEASURES_MOST },
		{ 0, "seed", "SEED", .number = &to->seed,
		  .most = APP_SEED_MOST },
		{ 'd', "depth", "DEPTH", .number = &to->depth,
		  .most = KNAPSACK_ITEMS_MOST },
		{ 's', "seq", .flag = &to->sequential },
		{ 0, "fixed", .flag = &to->fixed },
		{ .value = "FILE", .text = &to->path },
		{ .value = "NUMBER",
		  .number = &to->number,
		  .least = 1,
		  .most = KNAPSACK_PROBLEMS_MOST },
		{ 0 },
	};
	int status = app_options(argc, argv, help, table);

	if (status == APP_GO_ON && to->path && to->generate)
		return app_misuse("give a FILE or --generate, not both");
	if (status == APP_GO_ON && !to->path && !to->generate)
		return app_misuse("give a FILE, or --generate");
	return status;
}

/* True if the choice fits, and if its value is right. */
static bool
is_choice(const struct knapsack *problem, const struct knapsack_choice *choice)
{
	struct knapsack_state state = knapsack_start(problem, 0);

	while (state.next < problem->items) {
		if (!(choice->taken >> state.next & 1))
			state = knapsack_leave(state);
		else if (knapsack_fits(problem, &state))
			state = knapsack_take(problem, state);
		else
			return false;
	}
	return state.value == choice->value;
}

static void
print_items(const struct knapsack *problem,
	    const struct knapsack_choice *choice)
{
	printf("items:");
	for (int number = 1; number <= problem->items; number++)
		for (int i = 0; i < problem->items; i++)
			if (problem->item[i].number == number &&
			    choice->taken >> i & 1)
				printf(" %d", number);
	printf("\n");
}

static void
print_choice(const struct knapsack *problem,
	     const struct knapsack_choice *choice)
{
	/* The greatest sum has ten digits before the point, and three after. */
	printf("knapsack(%d items, %d constraints) = %.13g\n", problem->items,
	       problem->measures, (double)choice->value / KNAPSACK_UNIT);
	print_items(problem, choice);
}

/* The best solution when the search is interrupted. */
struct known {
	const struct knapsack *problem;
	struct knapsack_choice guess;
};

static bool
print_known(const struct show *show, int64_t value, const void *witness)
{
	const struct known *known = show->arg;
	struct knapsack_choice choice = known->guess;
	uint64_t key;

	if (witness) {
		memcpy(&key, witness, sizeof(key));
		choice.value = value;
		choice.taken = knapsack_taken(known->problem, 0, key);
	}
	print_choice(known->problem, &choice);
	return true;
}

/* One search that knows the best value itself. */
static struct knapsack_choice
search_alone(STN_FRAME, const struct knapsack *problem, int64_t limit)
{
	struct knapsack_choice best;
	uint64_t nodes;

	best = knapsack_search(problem, knapsack_start(problem, 0), limit,
			       &nodes);
	STN_WORK(nodes);
	return best;
}

static struct knapsack_choice
solve_fixed(STN_FRAME, const struct knapsack *problem,
	    const struct options *options, int64_t limit)
{
	struct knapsack_state start =
		knapsack_start(problem, (int)options->depth);

	return options->sequential
		       ? choose_sequential(problem, start, limit)
		       : STN_CALL(choose,
				  STN_IN((const unsigned char *)problem,
					 knapsack_bytes(problem)),
				  start, limit);
}

/* Solves by tasks, or without them (--seq). */
static struct knapsack_choice
solve(STN_FRAME, const struct knapsack *problem, const struct options *options)
{
	struct knapsack_choice guess = knapsack_guess(problem), found;
	struct known known = { problem, guess };
	struct show show = { .unit = KNAPSACK_UNIT,
			     .arg = &known,
			     .print = print_known };

	if (options->fixed)
		found = solve_fixed(STN_PASS_FRAME, problem, options,
				    guess.value);
	else if (options->sequential)
		found = search_alone(STN_PASS_FRAME, problem, guess.value);
	else
		found = knapsack_shared(STN_PASS_FRAME, problem,
					(int)options->depth, guess.value,
					&show);
	return found.value > guess.value ? found : guess;
}

static int
solve_and_tell(STN_FRAME, struct knapsack *problem, int64_t best,
	       const struct options *options)
{
	struct knapsack_choice choice;
	double begin = STN_SECONDS(), seconds;

	knapsack_sort(problem);
	choice = solve(STN_PASS_FRAME, problem, options);
	seconds = STN_SECONDS() - begin;
	print_choice(problem, &choice);
	printf("time: %.3f s\n", seconds);
	if (!is_choice(problem, &choice))
		return app_complain(
			1, "these items don't fit, or have another value");
	if (best && choice.value != best)
		return app_complain(1, "the best value should be %.13g",
				    (double)best / KNAPSACK_UNIT);
	return 0;
}

STN_MAIN(argc, argv)
{
	struct options options = {
		.number = 1, .depth = 20, .measures = 1, .seed = 1
	};
	int status = read_options(argc, argv, &options);
	struct knapsack problem;
	struct app_why why;
	int64_t best = 0;

	if (status != APP_GO_ON)
		return status;
	if (options.generate)
		knapsack_generate(&problem, (int)options.generate,
				  (int)options.measures,
				  (uint64_t)options.seed);
	else if (!knapsack_read(options.path, options.number, &problem, &best,
				&why))
		return app_complain(APP_BAD_INPUT, "%s", why.text);
	return solve_and_tell(STN_PASS_FRAME, &problem, best, &options);
}
