/*
 * sip: subgraph isomorphism: finds a pattern in a target, two graphs, or counts
 * the ways to map the pattern into the target. The first choices are tasks
 * (shared.c), and search.c makes the others.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sateen.h>

#include "apps/app.h"
#include "apps/random.h"
#include "apps/sip/shared.h"

struct options {
	const char *pattern, *target;
	long random, vertices, percent, dense, seed, depth;
	bool count, induced, plant, sequential;
};

static const char help[] =
	"usage: sip [--seq] [--count] [--induced] [-d DEPTH] PATTERN TARGET\n"
	"       sip [...] --random VERTICES [--pattern COUNT] [--plant] ...\n"
	"Maps the vertices of PATTERN to different vertices of TARGET, so "
	"that\n"
	"edges are mapped to edges. Both files have LAD's format: the number\n"
	"of vertices, up to 1024 and 4096; and for each vertex its degree and\n"
	"its neighbours.\n"
	"\n"
	"  -c, --count              count the ways, instead of the first one\n"
	"  -i, --induced            non-edges are mapped to non-edges\n"
	"  -g, --random VERTICES    make a random target instead, with a\n"
	"                           random pattern\n"
	"      --pattern COUNT      with COUNT vertices (default 10)\n"
	"      --percent CHANCE     an edge is in the target with a chance of\n"
	"                           CHANCE per cent (default 30)\n"
	"      --dense CHANCE       the same for the pattern (default 30)\n"
	"      --plant              the pattern is a part of the target\n"
	"      --seed SEED          the seed of both (default 1)\n"
	"  -d, --depth DEPTH        the first DEPTH choices are tasks, at "
	"most\n"
	"                           5 (default 2)\n"
	"  -s, --seq                the same search, without spawns\n"
	"  -h, --help               show this\n";

static int
check_options(const struct options *options)
{
	if (options->random ? options->pattern != NULL : !options->target)
		return app_misuse("give PATTERN and TARGET, or --random");
	if (options->plant && options->vertices > options->random)
		return app_misuse("--plant needs a --pattern that is no larger "
				  "than the target");
	return APP_GO_ON;
}

static int
read_options(int argc, char **argv, struct options *to)
{
	const struct app_option table[] = {
		{ 'c', "count", .flag = &to->count },
		{ 'i', "induced", .flag = &to->induced },
		{ 'g', "random", "VERTICES", .number = &to->random, .least = 1,
		  .most = SIP_VERTICES_MOST },
		{ 0, "pattern", "COUNT", .number = &to->vertices, .least = 1,
		  .most = SIP_PATTERN_MOST },
		{ 0, "percent", "CHANCE", .number = &to->percent, .most = 100 },
		{ 0, "dense", "CHANCE", .number = &to->dense, .most = 100 },
		{ 0, "plant", .flag = &to->plant },
		{ 0, "seed", "SEED", .number = &to->seed,
		  .most = APP_SEED_MOST },
		{ 'd', "depth", "DEPTH", .number = &to->depth,
		  .most = SIP_DEPTH_MOST },
		{ 's', "seq", .flag = &to->sequential },
		{ .value = "PATTERN", .text = &to->pattern },
		{ .value = "TARGET", .text = &to->target },
		{ 0 },
	};
	int status = app_options(argc, argv, help, table);

	return status == APP_GO_ON ? check_options(to) : status;
}

/* Makes or reads the pattern, after the target. */
static bool
get_pattern(const struct options *options, const struct sip_graph *target,
	    struct sip_graph *pattern, struct app_why *why)
{
	uint64_t seed = app_mix((uint64_t)options->seed + 1);
	int vertices = (int)options->vertices;

	if (!options->random)
		return sip_graph_read(options->pattern, pattern, why);
	if (options->plant)
		return sip_graph_plant(pattern, target, vertices, seed, why);
	return sip_graph_random(pattern, vertices, (int)options->dense, seed,
				why);
}

static bool
get_target(const struct options *options, struct sip_graph *target,
	   struct app_why *why)
{
	return options->random ? sip_graph_random(target, (int)options->random,
						  (int)options->percent,
						  (uint64_t)options->seed, why)
			       : sip_graph_read(options->target, target, why);
}

static bool
is_solution(const struct sip_graph *pattern, const struct sip_graph *target,
	    bool induced, const uint16_t *to)
{
	for (int a = 0; a < pattern->vertices; a++)
		for (int b = 0; b <= a; b++) {
			bool edge = sip_graph_has(pattern, a, b);
			bool there = sip_graph_has(target, to[a], to[b]);

			if ((a != b && to[a] == to[b]) || (edge && !there) ||
			    (induced && there && !edge))
				return false;
		}
	return true;
}

static void
print_question(const struct sip_problem *problem)
{
	printf("sip(%d in %d vertices%s) =", problem->pattern, problem->target,
	       problem->induced ? ", induced" : "");
}

static void
print_way(const struct sip_problem *problem, const uint16_t *to)
{
	for (int i = 0; i < problem->pattern; i++)
		printf(" %d", to[i]);
}

static void
print_answer(const struct sip_answer *answer, bool counted,
	     const struct sip_problem *problem)
{
	print_question(problem);
	if (counted)
		printf(" %llu", (unsigned long long)answer->solutions);
	else if (!answer->found)
		printf(" none");
	else
		print_way(problem, answer->to);
	printf("\ntries: %llu\n", (unsigned long long)answer->tries);
}

/* The first way that is known when the search is interrupted. */
static bool
print_known(const struct show *show, int64_t value, const void *witness)
{
	uint16_t to[SIP_PATTERN_MOST];

	(void)value; /* it says only where the way is in search order */
	if (!witness)
		return false;
	memcpy(to, witness, show->bytes);
	print_question(show->arg);
	print_way(show->arg, to);
	printf("\n");
	return true;
}

static int
solve(STN_FRAME, const struct options *options, const struct sip_graph *pattern,
      const struct sip_graph *target)
{
	double begin = STN_SECONDS();
	struct sip_problem *problem =
		sip_problem_make(pattern, target, options->induced);
	struct show show = { .arg = problem, .print = print_known };
	struct sip_answer answer;

	if (!problem)
		return app_complain(1, "out of memory");
	if (options->sequential)
		sip_alone(STN_PASS_FRAME, problem, options->count, &answer);
	else
		sip_shared(STN_PASS_FRAME, problem, (int)options->depth,
			   options->count, &show, &answer);
	print_answer(&answer, options->count, problem);
	printf("time: %.3f s\n", STN_SECONDS() - begin);
	free(problem);
	if (answer.found &&
	    !is_solution(pattern, target, options->induced, answer.to))
		return app_complain(1, "this is not a subgraph");
	return 0;
}

/* Reads the pattern and solves the problem. */
static int
solve_in(STN_FRAME, const struct options *options,
	 const struct sip_graph *target)
{
	struct sip_graph pattern;
	struct app_why why;
	int status;

	if (!get_pattern(options, target, &pattern, &why))
		return app_complain(APP_BAD_INPUT, "%s", why.text);
	if (pattern.vertices > SIP_PATTERN_MOST)
		status = app_complain(APP_BAD_INPUT,
				      "%s: a pattern has at most %d vertices",
				      options->pattern, SIP_PATTERN_MOST);
	else
		status = solve(STN_PASS_FRAME, options, &pattern, target);
	sip_graph_fini(&pattern);
	return status;
}

STN_MAIN(argc, argv)
{
	struct options options = { .vertices = 10,
				   .percent = 30,
				   .dense = 30,
				   .seed = 1,
				   .depth = 2 };
	int status = read_options(argc, argv, &options);
	struct sip_graph target;
	struct app_why why;

	if (status != APP_GO_ON)
		return status;
	if (!get_target(&options, &target, &why))
		return app_complain(APP_BAD_INPUT, "%s", why.text);
	status = solve_in(STN_PASS_FRAME, &options, &target);
	sip_graph_fini(&target);
	return status;
}
