/*
 * fib_threshold: Fibonacci numbers by their recursive definition. Calls with an
 * n below the threshold spawn nothing.
 */
#include <stdio.h>
#include <sateen.h>

#include "apps/app.h"
#include "apps/fib/adding.h"

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

STN_MAIN(argc, argv)
{
	long n = 46, threshold = 23, value;
	bool sequential = false;
	const struct app_option table[] = {
		{ 't', "threshold", "THRESHOLD", .number = &threshold,
		  .most = FIB_MOST },
		{ 's', "seq", .flag = &sequential },
		{ .value = "N", .number = &n, .most = FIB_MOST },
		{ 0 },
	};
	int status = app_options(argc, argv, help, table);
	double start, seconds;

	if (status != APP_GO_ON)
		return status;
	start = STN_SECONDS();
	value = sequential ? fib_sequentially((int)n, (int)threshold)
			   : STN_CALL(fib_threshold, (int)n, (int)threshold);
	seconds = STN_SECONDS() - start;
	printf("fib(%ld) = %ld\n", n, value);
	printf("time: %.3f s\n", seconds);
	if (value != fib_by_adding(n))
		return app_complain(1, "fib(%ld) is %ld", n, fib_by_adding(n));
	return 0;
}
