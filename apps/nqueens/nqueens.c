/*
 * nqueens: in how many ways N queens stand on an N by N board so that none
 * attacks another. The rows near the root are tasks, those below are not.
 *
 * A placement of some rows is three sets of columns, one bit each: those
 * taken, and those that the next row's queen would be attacked on along either
 * diagonal. Going down a row moves the diagonals by one bit.
 */
#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <sateen.h>

#include "apps/app.h"

#define QUEENS_MOST 20
#define DEPTH_MOST 1000

enum { GO_ON = -1 }; /* no exit status: there is work to do */

struct options {
	long n, depth;
	bool sequential;
};

static const char help[] =
	"usage: nqueens [--seq] [-d DEPTH] N\n"
	"Counts the ways to place N queens, N from 1 to 20, on an N by N\n"
	"board so that none attacks another.\n"
	"\n"
	"  -d, --depth DEPTH  spawn in the first DEPTH rows (default 4); with "
	"N\n"
	"                     or more, everywhere\n"
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
	long counts[QUEENS_MOST], count = 0;
	uint32_t open, queen;
	int i, spawned = 0;

	if (depth == 0 || columns == all)
		return count_below(all, columns, left, right);
	for (open = all & ~(columns | left | right); open; open ^= queen) {
		queen = open & -open;
		STN_SPAWN(&counts[spawned++], queens, all, columns | queen,
			  (left | queen) << 1, (right | queen) >> 1, depth - 1);
	}
	STN_SYNC();
	for (i = 0; i < spawned; i++)
		count += counts[i];
	return count;
}

static int
bad_option(char **argv)
{
	if (isprint(optopt))
		return app_complain(
			APP_USAGE,
			"bad or unfinished option '-%c'; see nqueens --help",
			optopt);
	return app_complain(APP_USAGE,
			    "bad or unfinished option '%s'; see nqueens --help",
			    argv[optind - 1]);
}

static int
bad_number(const char *what, int least, int most, const char *text)
{
	return app_complain(APP_USAGE,
			    "%s must be a whole number from %d to %d, "
			    "not '%s'; see nqueens --help",
			    what, least, most, text);
}

static int
read_operands(int argc, char **argv, struct options *options)
{
	if (argc != 1)
		return app_complain(APP_USAGE, "%s; see nqueens --help",
				    argc ? "too many arguments"
					 : "N is missing");
	if (!app_number(argv[0], 1, QUEENS_MOST, &options->n))
		return bad_number("N", 1, QUEENS_MOST, argv[0]);
	return GO_ON;
}

/* Returns GO_ON, or the exit status to end with at once. */
static int
read_options(int argc, char **argv, struct options *options)
{
	static const struct option known[] = {
		{ "depth", required_argument, NULL, 'd' },
		{ "seq", no_argument, NULL, 's' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "d:sh", known, NULL)) != -1) {
		switch (option) {
		case 'd':
			if (!app_number(optarg, 0, DEPTH_MOST, &options->depth))
				return bad_number("DEPTH", 0, DEPTH_MOST,
						  optarg);
			break;
		case 's':
			options->sequential = true;
			break;
		case 'h':
			fputs(help, stdout);
			return 0;
		default:
			return bad_option(argv);
		}
	}
	return read_operands(argc - optind, argv + optind, options);
}

STN_MAIN(argc, argv)
{
	struct options options = { .depth = 4 };
	int status = read_options(argc, argv, &options);
	double start, seconds;
	uint32_t all;
	long count;

	if (status != GO_ON)
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
