/*
 * fib: Fibonacci numbers the slow way, with every call spawned and no
 * threshold. What it measures is the price of a spawn.
 */
#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <sateen.h>

#include "apps/app.h"

#define FIB_MOST 90 /* the last one that fits a long is the 92nd */

enum { GO_ON = -1 }; /* no exit status: there is work to do */

struct options {
	long n;
	bool sequential;
};

static const char help[] =
	"usage: fib [--seq] [N]\n"
	"Computes the Nth Fibonacci number, N from 0 to 90 (default 30),\n"
	"by its recursive definition; every call is a task.\n"
	"\n"
	"  -s, --seq   compute it in plain C, without the runtime\n"
	"  -h, --help  show this\n";

/* Forms the same sum as the task does, call for call. */
static long
fib_sequential(int n)
{
	if (n < 2)
		return n;
	return fib_sequential(n - 1) + fib_sequential(n - 2);
}

STN_TASK(long, fib, int, n)
{
	long x, y;

	if (n < 2)
		return n;
	STN_SPAWN(&x, fib, n - 1);
	y = STN_CALL(fib, n - 2);
	STN_SYNC();
	return x + y;
}

static int
bad_option(char **argv)
{
	if (isprint(optopt))
		return app_complain(
			APP_USAGE,
			"bad or unfinished option '-%c'; see fib --help",
			optopt);
	return app_complain(APP_USAGE,
			    "bad or unfinished option '%s'; see fib --help",
			    argv[optind - 1]);
}

static int
read_operands(int argc, char **argv, struct options *options)
{
	if (argc > 1)
		return app_complain(APP_USAGE,
				    "too many arguments; see fib --help");
	if (argc == 1 && !app_number(argv[0], 0, FIB_MOST, &options->n))
		return app_complain(APP_USAGE,
				    "N must be a whole number from 0 to %d, "
				    "not '%s'; see fib --help",
				    FIB_MOST, argv[0]);
	return GO_ON;
}

/* Returns GO_ON, or the exit status to end with at once. */
static int
read_options(int argc, char **argv, struct options *options)
{
	static const struct option known[] = {
		{ "seq", no_argument, NULL, 's' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "sh", known, NULL)) != -1) {
		switch (option) {
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
	struct options options = { .n = 30 };
	int status = read_options(argc, argv, &options);
	double start, seconds;
	long value;

	if (status != GO_ON)
		return status;
	start = app_seconds();
	value = options.sequential ? fib_sequential((int)options.n)
				   : STN_CALL(fib, (int)options.n);
	seconds = app_seconds() - start;
	printf("fib(%ld) = %ld\n", options.n, value);
	printf("time: %.3f s\n", seconds);
	return 0;
}
