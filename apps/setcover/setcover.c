/*
 * setcover: finds the sets that cover all elements at the lowest cost. The
 * first choices of sets are tasks; search.c makes the other choices.
 *
 * All tasks share the lowest cost so far (shared.c). With --fixed, as in Satin's
 * program, the lowest known cost is an argument: a lower cost that a task finds
 * is known only to that task. So there is more work, but its amount doesn't
 * depend on where and when tasks run.
 */
#include <stdio.h>
#include <string.h>
#include <sateen.h>

#include "apps/app.h"
#include "apps/random.h"
#include "apps/setcover/search.h"
#include "apps/setcover/shared.h"

struct options {
	const char *path, *write;
	long depth, generate, elements, percent, seed, expect;
	bool sequential, fixed;
};

static const char help[] =
	"usage: setcover [--seq] [--fixed] [-d DEPTH] FILE | --generate SETS\n"
	"Finds the sets that cover all elements at the lowest cost. FILE has\n"
	"the format of OR-Library's scp files, with at most 256 elements and\n"
	"640 sets.\n"
	"\n"
	"  -g, --generate SETS   make SETS random sets instead, 1 to 640, of\n"
	"                        cost 1\n"
	"      --elements COUNT  of COUNT elements (default 2 * SETS)\n"
	"      --percent CHANCE  a set has an element with a chance of CHANCE\n"
	"                        percent, 1 to 100 (default 40)\n"
	"      --seed SEED       the seed of the sets (default 1)\n"
	"      --write OUT       write the problem to a file, and don't solve "
	"it\n"
	"      --expect COST     fail if the lowest cost isn't COST\n"
	"  -d, --depth DEPTH     spawn for the first DEPTH sets (default 2; at\n"
	"                        most 6, unless with --fixed)\n"
	"  -s, --seq             the same search, without spawns\n"
	"      --fixed           a cheaper cover is known only to the task that\n"
	"                        finds it; so the work is always the same\n"
	"  -h, --help            show this\n";

/*
 * The cheaper of two covers, if it is cheaper than @limit. If both are equal,
 * @first, which comes first in search order.
 */
static struct setcover_cover
cheaper(struct setcover_cover first, struct setcover_cover second,
	int64_t limit)
{
	return first.cost < limit && first.cost <= second.cost ? first : second;
}

/* True if the search can't be divided further. */
static bool
is_leaf(const struct setcover_set *set, int32_t sets,
	const struct setcover_state *state, int64_t limit, int32_t depth)
{
	return depth == 0 || setcover_open(state) < 0 ||
	       state->cost + setcover_bound(set, sets, state) >= limit;
}

/* Like setcover_search, with tasks for the first @depth choices. */
STN_TASK(struct setcover_cover, cover, struct stn_in, all, int32_t, sets,
	 struct setcover_state, state, int64_t, limit, int32_t, depth)
{
	struct setcover_cover best = { .cost = limit }, found;
	const struct setcover_set *set = all.at;
	int32_t element = setcover_open(&state), i;
	uint64_t nodes;

	if (is_leaf(set, sets, &state, limit, depth)) {
		best = setcover_search(set, sets, state, limit, &nodes);
		STN_WORK(nodes);
		return best;
	}
	STN_WORK(1); /* is_leaf computes a bound */
	for (i = 0; i < sets; i++)
		if (setcover_has(&set[i], element))
			STN_SPAWN(cover, all, sets,
				  setcover_choose(state, &set[i]), limit,
				  depth - 1);
	while (i--) {
		if (!setcover_has(&set[i], element))
			continue;
		found = STN_SYNC(cover);
		setcover_mark(&found, i);
		best = cheaper(found, best, limit);
	}
	return best;
}

static struct setcover_cover
cover_sequential(const struct setcover_set *set, int32_t sets,
		 struct setcover_state state, int64_t limit, int32_t depth)
{
	struct setcover_cover best = { .cost = limit }, found;
	int32_t element = setcover_open(&state), i;
	uint64_t nodes;

	if (is_leaf(set, sets, &state, limit, depth))
		return setcover_search(set, sets, state, limit, &nodes);
	for (i = sets; i--;) {
		if (!setcover_has(&set[i], element))
			continue;
		found = cover_sequential(set, sets,
					 setcover_choose(state, &set[i]), limit,
					 depth - 1);
		setcover_mark(&found, i);
		best = cheaper(found, best, limit);
	}
	return best;
}

static int
read_options(int argc, char **argv, struct options *to)
{
	const struct app_option table[] = {
		{ 'g', "generate", "SETS", .number = &to->generate, .least = 1,
		  .most = SETCOVER_SETS_MOST },
		{ 0, "elements", "COUNT", .number = &to->elements, .least = 1,
		  .most = SETCOVER_ELEMENTS_MOST },
		{ 0, "percent", "CHANCE", .number = &to->percent, .least = 1,
		  .most = 100 },
		{ 0, "seed", "SEED", .number = &to->seed,
		  .most = APP_SEED_MOST },
		{ 0, "write", "OUT", .text = &to->write },
		{ 0, "expect", "COST", .number = &to->expect, .least = 1,
		  .most = INT32_MAX },
		{ 'd', "depth", "DEPTH", .number = &to->depth,
		  .most = SETCOVER_SETS_MOST },
		{ 's', "seq", .flag = &to->sequential },
		{ 0, "fixed", .flag = &to->fixed },
		{ .value = "FILE", .text = &to->path },
		{ 0 },
	};
	int status = app_options(argc, argv, help, table);

	if (status == APP_GO_ON && to->path && to->generate)
		return app_misuse("give a FILE or --generate, not both");
	if (status == APP_GO_ON && !to->path && !to->generate)
		return app_misuse("give a FILE, or --generate");
	return status;
}

static bool
get_problem(const struct options *options, struct setcover *problem,
	    struct app_why *why)
{
	long elements = options->elements;

	if (options->path)
		return setcover_read(options->path, problem, why);
	if (!elements)
		elements = 2 * options->generate;
	if (elements > SETCOVER_ELEMENTS_MOST)
		elements = SETCOVER_ELEMENTS_MOST;
	setcover_generate(problem, (int)elements, (int)options->generate,
			  (int)options->percent, (uint64_t)options->seed);
	return true;
}

/* True if the sets cover all elements, and if their cost is right. */
static bool
is_cover(const struct setcover *problem, const struct setcover_cover *cover)
{
	struct setcover_state state = setcover_start(problem);

	for (int32_t i = 0; i < problem->sets; i++)
		if (setcover_marked(cover, i))
			state = setcover_choose(state, &problem->set[i]);
	return setcover_open(&state) < 0 && state.cost == cover->cost;
}

static void
print_sets(const struct setcover *problem, const struct setcover_cover *cover)
{
	printf("sets:");
	for (int32_t number = 1; number <= problem->sets; number++)
		for (int32_t i = 0; i < problem->sets; i++)
			if (problem->set[i].number == number &&
			    setcover_marked(cover, i))
				printf(" %d", number);
	printf("\n");
}

static void
print_cover(const struct setcover *problem, const struct setcover_cover *cover)
{
	printf("setcover(%d elements, %d sets) = %ld\n", problem->elements,
	       problem->sets, (long)cover->cost);
	print_sets(problem, cover);
}

/* The best solution when the search is interrupted. */
struct known {
	const struct setcover *problem;
	struct setcover_cover guess;
};

static bool
print_known(const struct show *show, int64_t value, const void *witness)
{
	const struct known *known = show->arg;
	struct setcover_cover cover = known->guess;

	if (witness) {
		cover.cost = value;
		memcpy(cover.chosen, witness, sizeof(cover.chosen));
	}
	print_cover(known->problem, &cover);
	return true;
}

/* One search that knows the lowest cost itself. */
static struct setcover_cover
search_alone(STN_FRAME, const struct setcover *problem, int64_t limit)
{
	struct setcover_cover best;
	uint64_t nodes;

	best = setcover_search(problem->set, problem->sets,
			       setcover_start(problem), limit, &nodes);
	STN_WORK(nodes);
	return best;
}

static struct setcover_cover
solve_fixed(STN_FRAME, const struct setcover *problem, int64_t limit,
	    const struct options *options)
{
	struct setcover_state start = setcover_start(problem);
	int32_t depth = (int32_t)options->depth;

	return options->sequential
		       ? cover_sequential(problem->set, problem->sets, start,
					  limit, depth)
		       : STN_CALL(cover, STN_IN(problem->set, problem->sets),
				  problem->sets, start, limit, depth);
}

/* Solves by tasks, or without them (--seq). */
static struct setcover_cover
solve(STN_FRAME, const struct setcover *problem, const struct options *options)
{
	struct setcover_cover guess = setcover_guess(problem), found;
	struct known known = { problem, guess };
	struct show show = { .unit = 1, .arg = &known, .print = print_known };

	if (options->fixed)
		found = solve_fixed(STN_PASS_FRAME, problem, guess.cost,
				    options);
	else if (options->sequential)
		found = search_alone(STN_PASS_FRAME, problem, guess.cost);
	else
		found = setcover_shared(STN_PASS_FRAME, problem, guess.cost,
					(int32_t)options->depth, &show);
	return found.cost < guess.cost ? found : guess;
}

static int
solve_and_tell(STN_FRAME, struct setcover *problem,
	       const struct options *options)
{
	struct setcover_cover best;
	double begin = STN_SECONDS(), seconds;

	setcover_sort(problem);
	best = solve(STN_PASS_FRAME, problem, options);
	seconds = STN_SECONDS() - begin;
	print_cover(problem, &best);
	printf("time: %.3f s\n", seconds);
	if (!is_cover(problem, &best))
		return app_complain(
			1, "these sets cover less, or have another cost");
	if (options->expect && best.cost != options->expect)
		return app_complain(1, "the lowest cost should be %ld",
				    options->expect);
	return 0;
}

STN_MAIN(argc, argv)
{
	struct options options = { .depth = 2, .percent = 40, .seed = 1 };
	int status = read_options(argc, argv, &options);
	struct setcover problem;
	struct app_why why;

	if (status != APP_GO_ON)
		return status;
	if (!get_problem(&options, &problem, &why))
		return app_complain(APP_BAD_INPUT, "%s", why.text);
	if (!options.write)
		return solve_and_tell(STN_PASS_FRAME, &problem, &options);
	if (!setcover_write(options.write, &problem, &why))
		return app_complain(1, "%s", why.text);
	return 0;
}
