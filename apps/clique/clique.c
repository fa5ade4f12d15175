/*
 * clique: finds the largest clique of a graph: vertices of which each two are
 * adjacent. The choices of the first vertices are tasks; search.c makes the
 * others.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sateen.h>

#include "apps/app.h"
#include "apps/clique/dimacs.h"
#include "apps/clique/families.h"
#include "apps/clique/numbers.h"
#include "apps/clique/solve.h"

#define FAMILIES 5
#define DEPTH_MOST 64

struct options {
	const char *path, *bound;
	const char *family[FAMILIES]; /* by clique_families' order */
	long size, above, expect, depth;
	bool all, maximal, sequential;
};

/* A problem: the graph as given, and in the order of the search. */
struct problem {
	char name[64]; /* for output */
	struct clique_graph *given, *graph;
	int32_t order[CLIQUE_VERTICES_MOST];
};

static const char help[] =
	"usage: clique [OPTIONS] FILE | --random N,P,SEED | --hamming N,D | "
	"--johnson N,W,D | --keller D | --mann N\n"
	"Finds the largest clique of a graph: of a file in DIMACS's format, "
	"or\n"
	"of one that a few numbers define. At most 4096 vertices.\n"
	"\n"
	"      --random N,P,SEED  N vertices; each two are adjacent with\n"
	"                         probability P\n"
	"      --hamming N,D      DIMACS's hammingN-D\n"
	"      --johnson N,W,D    DIMACS's johnsonN-W-D\n"
	"      --keller D         DIMACS's kellerD, 2 to 6\n"
	"      --mann N           DIMACS's MANN_aN: 9, 27, 45 or 81\n"
	"      --size K           find any clique of K vertices\n"
	"      --above SIZE       find the largest clique of more than SIZE\n"
	"                         vertices, without guessing one first\n"
	"      --all              also count the cliques of that size\n"
	"      --maximal          count the maximal cliques instead: those "
	"that\n"
	"                         no vertex can be added to\n"
	"      --bound BOUND      colours, or maxsat: less places to visit, "
	"more\n"
	"                         work at each (default maxsat)\n"
	"      --expect SIZE      fail if the largest clique isn't of SIZE\n"
	"  -d, --depth DEPTH      spawn for the first DEPTH vertices (default "
	"3)\n"
	"  -s, --seq              the same search, without spawns\n"
	"  -h, --help             show this\n";

/* The number of the family that was given, or -1. */
static int
family_given(const struct options *options)
{
	int family = FAMILIES - 1;

	while (family >= 0 && !options->family[family])
		family--;
	return family;
}

static int
check_options(const struct options *options)
{
	int graphs = options->path != NULL;

	for (int i = 0; i < FAMILIES; i++)
		graphs += options->family[i] != NULL;
	if (graphs != 1)
		return app_misuse("give a FILE or one definition of a graph");
	if (strcmp(options->bound, "maxsat") &&
	    strcmp(options->bound, "colours"))
		return app_misuse("--bound is colours or maxsat, not '%s'",
				  options->bound);
	if (options->maximal && (options->size || options->above >= 0 ||
				 options->all || options->expect >= 0))
		return app_misuse("--maximal goes without --size, --above, "
				  "--all and --expect");
	if ((options->size != 0) + (options->above >= 0) + options->all > 1)
		return app_misuse("give one of --size, --above and --all");
	return APP_GO_ON;
}

static int
read_options(int argc, char **argv, struct options *to)
{
	const struct app_option table[] = {
		{ 0, "random", "N,P,SEED", .text = &to->family[0] },
		{ 0, "hamming", "N,D", .text = &to->family[1] },
		{ 0, "johnson", "N,W,D", .text = &to->family[2] },
		{ 0, "keller", "D", .text = &to->family[3] },
		{ 0, "mann", "N", .text = &to->family[4] },
		{ 0, "size", "K", .number = &to->size, .least = 1,
		  .most = CLIQUE_VERTICES_MOST },
		{ 0, "above", "SIZE", .number = &to->above,
		  .most = CLIQUE_VERTICES_MOST },
		{ 0, "all", .flag = &to->all },
		{ 0, "maximal", .flag = &to->maximal },
		{ 0, "bound", "BOUND", .text = &to->bound },
		{ 0, "expect", "SIZE", .number = &to->expect,
		  .most = CLIQUE_VERTICES_MOST },
		{ 'd', "depth", "DEPTH", .number = &to->depth,
		  .most = DEPTH_MOST },
		{ 's', "seq", .flag = &to->sequential },
		{ .value = "FILE", .text = &to->path },
		{ 0 },
	};
	int status = app_options(argc, argv, help, table);

	return status == APP_GO_ON ? check_options(to) : status;
}

/* The graph, or NULL after a line that says why there is none. */
static struct clique_graph *
get_graph(const struct options *options)
{
	int number = family_given(options);
	const struct clique_family *family = &clique_families[number];
	struct clique_graph *graph;
	struct app_why why;

	if (number < 0) {
		graph = dimacs_read(options->path, &why);
		if (!graph)
			app_complain(APP_BAD_INPUT, "%s", why.text);
		return graph;
	}
	graph = family->make(options->family[number], &why);
	if (!graph)
		app_misuse("--%s %s: %s", family->name, family->numbers,
			   why.text);
	return graph;
}

static int32_t
limit_of(const struct options *options)
{
	if (options->size)
		return (int32_t)options->size - 1;
	return options->above >= 0 ? (int32_t)options->above : 0;
}

/* Orders the vertices, and sets the rules. */
static void
prepare(struct problem *problem, const struct options *options)
{
	bool maxsat = !strcmp(options->bound, "maxsat");

	snprintf(problem->name, sizeof(problem->name),
		 "clique(%d vertices, %ld edges)", problem->given->vertices,
		 clique_edges(problem->given));
	clique_order(problem->given, maxsat, problem->order);
	problem->graph = clique_ordered(problem->given, problem->order);
	problem->graph->rules = (struct clique_rules){
		.limit = limit_of(options),
		.enough = options->size ? (int32_t)options->size
					: CLIQUE_VERTICES_MOST,
		.depth = (int32_t)options->depth,
		.maxsat = maxsat,
	};
}

/* In the numbers of the file, which begin at 1. */
static void
print_vertices(const struct problem *problem, const struct clique_best *best)
{
	uint64_t given[CLIQUE_VERTICES_MOST / 64] = { 0 };

	for (int i = 0; i < problem->graph->vertices; i++)
		if (clique_has(best->chosen, i))
			clique_put(given, problem->order[i]);
	printf("vertices:");
	for (int i = 0; i < problem->graph->vertices; i++)
		if (clique_has(given, i))
			printf(" %d", i + 1);
	printf("\n");
}

static void
print_clique(const struct problem *problem, const struct clique_best *best)
{
	printf("%s = %d\n", problem->name, best->size);
	print_vertices(problem, best);
}

/* The best clique when the search is interrupted. */
static bool
print_known(const struct show *show, int64_t value, const void *witness)
{
	struct clique_best best = { .size = (int)value };

	if (!witness)
		return false;
	memcpy(best.chosen, witness, show->bytes);
	print_clique(show->arg, &best);
	return true;
}

/*
 * With the bound of colours, the search begins without a clique, as in the
 * published numbers of places.
 */
static struct clique_best
solve(STN_FRAME, const struct problem *problem, const struct options *options)
{
	bool limited = options->size || options->above >= 0;
	struct clique_graph *graph = problem->graph;
	bool guesses = graph->rules.maxsat && !limited;
	struct show show = { .unit = !options->size,
			     .arg = problem,
			     .print = print_known };

	return options->sequential
		       ? clique_alone(STN_PASS_FRAME, graph, guesses)
		       : clique_shared(STN_PASS_FRAME, graph, guesses, &show);
}

static bool
is_clique(const struct clique_graph *graph, const struct clique_best *best)
{
	int words = graph->words;

	for (int i = 0; i < graph->vertices; i++) {
		const uint64_t *row = clique_row(graph, i);

		if (!clique_has(best->chosen, i))
			continue;
		for (int j = 0; j < i; j++)
			if (clique_has(best->chosen, j) && !clique_has(row, j))
				return false;
	}
	return clique_count(best->chosen, words) == best->size;
}

static int
complain_expected(const struct options *options)
{
	return app_complain(1, "the largest clique should be of %ld",
			    options->expect);
}

static int
tell(const struct problem *problem, const struct clique_best *best,
     const struct options *options, uint64_t number)
{
	if (best->size <= limit_of(options)) {
		printf("%s: none of more than %d\n", problem->name,
		       limit_of(options));
		return options->expect > limit_of(options)
			       ? complain_expected(options)
			       : 0;
	}
	print_clique(problem, best);
	if (options->all)
		printf("cliques of that size: %llu\n",
		       (unsigned long long)number);
	if (!is_clique(problem->graph, best))
		return app_complain(1, "these vertices are no clique of %d",
				    best->size);
	if (options->expect >= 0 && best->size != options->expect)
		return complain_expected(options);
	return 0;
}

static int
find_clique(STN_FRAME, const struct problem *problem,
	    const struct options *options)
{
	double begin = STN_SECONDS();
	struct clique_best best =
		solve(STN_PASS_FRAME, problem, options);
	uint64_t number = 0;
	int status;

	if (options->all)
		number = clique_number_of(STN_PASS_FRAME, problem->graph,
					  best.size, options->sequential);
	begin = STN_SECONDS() - begin;
	status = tell(problem, &best, options, number);
	printf("time: %.3f s\n", begin);
	return status;
}

static int
count_maximal(STN_FRAME, const struct problem *problem,
	      const struct options *options)
{
	double begin = STN_SECONDS();
	uint64_t number = clique_number_maximal(STN_PASS_FRAME, problem->graph,
						options->sequential);

	printf("%s: %llu maximal cliques\n", problem->name,
	       (unsigned long long)number);
	printf("time: %.3f s\n", STN_SECONDS() - begin);
	return 0;
}

STN_MAIN(argc, argv)
{
	struct options options = {
		.bound = "maxsat", .above = -1, .expect = -1, .depth = 3
	};
	int status = read_options(argc, argv, &options);
	struct problem problem;

	if (status != APP_GO_ON)
		return status;
	problem.given = get_graph(&options);
	if (!problem.given)
		return family_given(&options) < 0 ? APP_BAD_INPUT : APP_USAGE;
	prepare(&problem, &options);
	status = options.maximal
			 ? count_maximal(STN_PASS_FRAME, &problem, &options)
			 : find_clique(STN_PASS_FRAME, &problem, &options);
	free(problem.graph);
	free(problem.given);
	return status;
}
