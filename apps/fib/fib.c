/*
 * fib: Fibonacci numbers by their recursive definition. Every call is a task,
 * without a threshold, so the program measures the cost of spawns and syncs.
 */
#include <stdio.h>
#include <sateen.h>

#include "apps/app.h"
#include "apps/fib/adding.h"

static const char help[] =
	"usage: fib [--seq] [N]\n"
	"Computes the Nth Fibonacci number, N from 0 to 90 (default 30),\n"
	"by its recursive definition; every call is a task.\n"
	"\n"
	"  -s, --seq   compute it in plain C, without the runtime\n"
	"  -h, --help  show this\n";

/* The same calls and additions as the task's, without the runtime. */
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
	STN_SPAWN(fib, n - 1);
	y = STN_CALL(fib, n - 2);
	x = STN_SYNC(fib);
	return x + y;
}

STN_MAIN(argc, argv)
{
	bool sequential = false;
	long n = 30, value;
	const struct app_option table[] = {
		{ 's', "seq", .flag = &sequential },
		{ .value = "N", .number = &n, .most = FIB_MOST },
		{ 0 },
	};
	int status = app_options(argc, argv, help, table);
	double start, seconds;

	if (status != APP_GO_ON)
		return status;
	start = STN_SECONDS();
	value = sequential ? fib_sequential((int)n) : STN_CALL(fib, (int)n);
	seconds = STN_SECONDS() - start;
	printf("fib(%ld) = %ld\n", n, value);
	printf("time: %.3f s\n", seconds);
	if (value != fib_by_adding(n))
		return app_complain(1, "fib(%ld) is %ld", n, fib_by_adding(n));
	return 0;
}
