/*
 * nqueens: counts the ways to place N queens on an N by N board so that none
 * attacks another, or finds the first of these ways. The first rows are tasks,
 * and the rows below them are a loop.
 */
#include <stdio.h>
#include <string.h>
#include <sateen.h>

#include "apps/app.h"
#include "apps/nqueens/first.h"
#include "apps/nqueens/queens.h"

#define DEPTH_MOST 1000

struct options {
	long n, depth;
	bool first, fixed, sequential;
};

static const char help[] =
	"usage: nqueens [--seq] [--first [--fixed]] [-d DEPTH] N\n"
	"Counts the ways to place N queens, N from 1 to 20, on an N by N\n"
	"board so that none attacks another.\n"
	"\n"
	"  -f, --first        find the first way in lexicographic order\n"
	"      --fixed        with --first: no task learns what others have "
	"found,\n"
	"                     so the work is always the same\n"
	"  -d, --depth DEPTH  spawn in the first DEPTH rows (default 4);\n"
	"                     N or more: in all rows\n"
	"  -s, --seq          the same, without spawns\n"
	"  -h, --help         show this\n";

static long
count_sequentially(uint32_t all, uint32_t columns, uint32_t left,
		   uint32_t right, int depth)
{
	uint32_t open, queen;
	long count = 0;

	if (depth == 0 || columns == all)
		return queens_count(all, columns, left, right).ways;
	for (open = all & ~(columns | left | right); open; open ^= queen) {
		queen = open & -open;
		count += count_sequentially(all, columns | queen,
					    (left | queen) << 1,
					    (right | queen) >> 1, depth - 1);
	}
	return count;
}

STN_TASK(long, queens, uint32_t, all, uint32_t, columns, uint32_t, left,
	 uint32_t, right, int, depth)
{
	uint32_t open, queen;
	struct counts counts;
	long count = 0;

	if (depth == 0 || columns == all) {
		counts = queens_count(all, columns, left, right);
		STN_WORK((uint64_t)counts.boards);
		STN_PROGRESS(queens_units(all, columns, left, right), 0);
		return counts.ways;
	}
	for (open = all & ~(columns | left | right); open; open ^= queen) {
		queen = open & -open;
		STN_SPAWN(queens, all, columns | queen, (left | queen) << 1,
			  (right | queen) >> 1, depth - 1);
	}
	STN_SYNC_ALL(queens, ways)
		count += ways;
	STN_PROGRESS(queens_told(columns), 0);
	return count;
}

/* Adds a queen to @placement, in the row after those that @columns fill. */
static struct placement
begin(struct placement placement, uint32_t columns, uint32_t queen)
{
	placement.column[__builtin_popcount(columns)] =
		(int8_t)__builtin_ctz(queen);
	return placement;
}

/* Tries queens from the last to the first, the order of the task's syncs. */
static struct placement
first_sequentially(uint32_t all, uint32_t columns, uint32_t left,
		   uint32_t right, int depth)
{
	struct placement first = { 0 }, found;
	uint32_t open, queen;
	long boards;

	if (depth == 0 || columns == all)
		return queens_first(all, columns, left, right, &boards);
	for (open = all & ~(columns | left | right); open; open ^= queen) {
		queen = 1u << (31 - __builtin_clz(open));
		found = first_sequentially(all, columns | queen,
					   (left | queen) << 1,
					   (right | queen) >> 1, depth - 1);
		if (found.found)
			first = begin(found, columns, queen);
	}
	return first;
}

STN_TASK(struct placement, first, uint32_t, all, uint32_t, columns, uint32_t,
	 left, uint32_t, right, int, depth)
{
	struct placement first = { 0 }, found;
	uint32_t open, queen;
	long boards;

	if (depth == 0 || columns == all) {
		first = queens_first(all, columns, left, right, &boards);
		STN_WORK((uint64_t)boards);
		STN_PROGRESS(queens_units(all, columns, left, right), 0);
		return first;
	}
	for (open = all & ~(columns | left | right); open; open ^= queen) {
		queen = open & -open;
		STN_SPAWN(first, all, columns | queen, (left | queen) << 1,
			  (right | queen) >> 1, depth - 1);
	}
	for (open = all & ~(columns | left | right); open; open ^= queen) {
		queen = 1u << (31 - __builtin_clz(open));
		found = STN_SYNC(first);
		if (found.found)
			first = begin(found, columns, queen);
	}
	STN_PROGRESS(queens_told(columns), 0);
	return first;
}

/* Counts by the task, and tells its progress. */
static long
count_by_tasks(STN_FRAME, const struct options *options)
{
	uint32_t all = queens_all(options->n);
	long count;

	STN_PROGRESS(0, queens_units(all, 0, 0, 0));
	count = STN_CALL(queens, all, 0, 0, 0, (int)options->depth);
	STN_PROGRESS_END();
	return count;
}

/* Counts by the task, or without it (--seq). */
static int
count_all(STN_FRAME, const struct options *options)
{
	uint32_t all = queens_all(options->n);
	int depth = (int)options->depth;
	double start = STN_SECONDS(), seconds;
	long count = options->sequential
			     ? count_sequentially(all, 0, 0, 0, depth)
			     : count_by_tasks(STN_PASS_FRAME, options);

	seconds = STN_SECONDS() - start;
	printf("nqueens(%ld) = %ld\n", options->n, count);
	printf("time: %.3f s\n", seconds);
	if (count != queens_counted(options->n))
		return app_complain(1, "there are %ld ways",
				    queens_counted(options->n));
	return 0;
}

/* True if a search of the whole board in one loop finds the same placement. */
static bool
is_first(const struct placement *placement, long n)
{
	long boards;
	struct placement first = queens_first(queens_all(n), 0, 0, 0, &boards);

	if (!placement->found || !first.found)
		return placement->found == first.found;
	return queens_peaceful(placement, n) &&
	       !memcmp(placement->column, first.column, (size_t)n);
}

static struct placement
search_first(STN_FRAME, const struct options *options)
{
	uint32_t all = queens_all(options->n);
	int depth = (int)options->depth;

	if (!options->sequential)
		STN_PROGRESS(0, queens_units(all, 0, 0, 0));
	if (options->fixed)
		return options->sequential
			       ? first_sequentially(all, 0, 0, 0, depth)
			       : STN_CALL(first, all, 0, 0, 0, depth);
	return options->sequential
		       ? first_alone(STN_PASS_FRAME, options->n)
		       : first_shared(STN_PASS_FRAME, options->n, depth);
}

static int
find_first(STN_FRAME, const struct options *options)
{
	double start = STN_SECONDS(), seconds;
	struct placement first = search_first(STN_PASS_FRAME, options);

	STN_PROGRESS_END();
	seconds = STN_SECONDS() - start;
	printf("first(%ld) =", options->n);
	for (long i = 0; first.found && i < options->n; i++)
		printf(" %d", first.column[i]);
	printf("%s\n", first.found ? "" : " none");
	printf("time: %.3f s\n", seconds);
	if (!is_first(&first, options->n))
		return app_complain(1, "that is not the first");
	return 0;
}

STN_MAIN(argc, argv)
{
	struct options options = { .depth = 4 };
	const struct app_option table[] = {
		{ 'd', "depth", "DEPTH", .number = &options.depth,
		  .most = DEPTH_MOST },
		{ 'f', "first", .flag = &options.first },
		{ 0, "fixed", .flag = &options.fixed },
		{ 's', "seq", .flag = &options.sequential },
		{ .value = "N",
		  .number = &options.n,
		  .least = 1,
		  .most = QUEENS_MOST,
		  .needed = true },
		{ 0 },
	};
	int status = app_options(argc, argv, help, table);

	if (status != APP_GO_ON)
		return status;
	return options.first ? find_first(STN_PASS_FRAME, &options)
			     : count_all(STN_PASS_FRAME, &options);
}
