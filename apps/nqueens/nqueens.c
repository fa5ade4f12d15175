/*
 * nqueens: in how many ways N queens stand on an N by N board so that none
 * attacks another. The rows near the root are tasks, those below are not.
 *
 * A placement of some rows is three sets of columns, one bit each: those
 * taken, and those that the next row's queen would be attacked on along either
 * diagonal. Going down a row moves the diagonals by one bit.
 */
#include <stdio.h>
#include <sateen.h>

#include "apps/app.h"
#include "apps/options.h"

#define QUEENS_MOST 20
#define DEPTH_MOST 1000

struct options {
	long n, depth;
	bool sequential;
};

static const char help[] =
	"usage: nqueens [--seq] [-d DEPTH] N\n"
	"Counts the ways to place N queens, N from 1 to 20, on an N by N\n"
	"board so that none attacks another.\n"
	"\n"
	"  -d, --depth DEPTH  spawn in the first DEPTH rows (default 4);\n"
	"                     with N or more, everywhere\n"
	"  -s, --seq          count in plain C, without the runtime\n"
	"  -h, --help         show this\n";

static long
count_below(uint32_t all, uint32_t columns, uint32_t left, uint32_t right)
{
	uint32_t open, queen;
	long count = 0;

	if (columns == all)
		return 1;
	for (open = all & ~(columns | left | right); open; open ^= queen) {
		queen = open & -open;
		count += count_below(all, columns | queen, (left | queen) << 1,
				     (right | queen) >> 1);
	}
	return count;
}

STN_TASK(long, queens, uint32_t, all, uint32_t, columns, uint32_t, left,
	 uint32_t, right, int, depth)
{
	uint32_t open, queen;
	int spawned = 0;
	long count = 0;

	if (depth == 0 || columns == all)
		return count_below(all, columns, left, right);
	for (open = all & ~(columns | left | right); open; open ^= queen) {
		queen = open & -open;
		STN_SPAWN(queens, all, columns | queen, (left | queen) << 1,
			  (right | queen) >> 1, depth - 1);
		spawned++;
	}
	while (spawned--)
		count += STN_SYNC(queens);
	return count;
}

static int
read_options(int argc, char **argv, struct options *to)
{
	const struct app_option table[] = {
		{ 'd', "depth", "DEPTH", .number = &to->depth,
		  .most = DEPTH_MOST },
		{ 's', "seq", .flag = &to->sequential },
		{ .value = "N",
		  .number = &to->n,
		  .least = 1,
		  .most = QUEENS_MOST,
		  .needed = true },
		{ 0 },
	};

	return app_options(argc, argv, help, table);
}

STN_MAIN(argc, argv)
{
	struct options options = { .depth = 4 };
	int status = read_options(argc, argv, &options);
	double start, seconds;
	uint32_t all;
	long count;

	if (status != APP_GO_ON)
		return status;
	all = (1u << options.n) - 1;
	start = app_seconds();
	count = options.sequential
			? count_below(all, 0, 0, 0)
			: STN_CALL(queens, all, 0, 0, 0, (int)options.depth);
	seconds = app_seconds() - start;
	printf("nqueens(%ld) = %ld\n", options.n, count);
	printf("time: %.3f s\n", seconds);
	return 0;
}
