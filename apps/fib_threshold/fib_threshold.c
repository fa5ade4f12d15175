/*
 * fib_threshold: Fibonacci numbers by their recursive definition. Calls with an
 * n below the threshold spawn nothing.
 */
#include <stdio.h>
#include <sateen.h>

#include "apps/app.h"
#include "apps/fib/adding.h"
#include "apps/options.h"

struct options {
	long n, threshold;
	bool sequential;
};

static const char help[] =
	"usage: fib_threshold [--seq] [-t THRESHOLD] [N]\n"
	"Computes the Nth Fibonacci number, N from 0 to 90 (default 46),\n"
	"by its recursive definition.\n"
	"\n"
	"  -t, --threshold THRESHOLD  spawn from this n on (default 23)\n"
	"  -s, --seq                  the same, without spawns\n"
	"  -h, --help                 show this\n";

/* A call below the threshold. */
static long
fib_below(int n)
{
	if (n < 2)
		return n;
	return fib_below(n - 1) + fib_below(n - 2);
}

static long
fib_sequentially(int n, int threshold)
{
	if (n < 2 || n < threshold)
		return fib_below(n);
	return fib_sequentially(n - 1, threshold) +
	       fib_sequentially(n - 2, threshold);
}

STN_TASK(long, fib_threshold, int, n, int, threshold)
{
	long x, y;

	if (n < 2 || n < threshold) {
		x = fib_below(n);
		STN_WORK((uint64_t)x); /* x ones are added */
		return x;
	}
	STN_SPAWN(fib_threshold, n - 1, threshold);
	y = STN_CALL(fib_threshold, n - 2, threshold);
	x = STN_SYNC(fib_threshold);
	return x + y;
}

static int
read_options(int argc, char **argv, struct options *to)
{
	const struct app_option table[] = {
		{ 't', "threshold", "THRESHOLD", .number = &to->threshold,
		  .most = FIB_MOST },
		{ 's', "seq", .flag = &to->sequential },
		{ .value = "N", .number = &to->n, .most = FIB_MOST },
		{ 0 },
	};

	return app_options(argc, argv, help, table);
}

STN_MAIN(argc, argv)
{
	struct options options = { .n = 46, .threshold = 23 };
	int status = read_options(argc, argv, &options);
	int n = (int)options.n, threshold = (int)options.threshold;
	double start, seconds;
	long value;

	if (status != APP_GO_ON)
		return status;
	start = STN_SECONDS();
	value = options.sequential ? fib_sequentially(n, threshold)
				   : STN_CALL(fib_threshold, n, threshold);
	seconds = STN_SECONDS() - start;
	printf("fib(%d) = %ld\n", n, value);
	printf("time: %.3f s\n", seconds);
	if (value != fib_by_adding(n))
		return app_complain(1, "fib(%d) is %ld", n, fib_by_adding(n));
	return 0;
}
