/*
 * nchoosek: binomial coefficients by Pascal's rule, down to ones that are
 * added.
 */
#include <stdio.h>
#include <sateen.h>

#include "apps/app.h"

#define N_MOST 66 /* the largest n whose coefficients all fit a long */
#define HALF_OF_N (-1)

struct options {
	long n, k, threshold;
	bool sequential;
};

static const char help[] =
	"usage: nchoosek [--seq] [-t THRESHOLD] [N [K]]\n"
	"Counts the ways to choose K of N, N from 0 to 66 (default 34, and K\n"
	"half of it), by Pascal's rule: choose(n, k) is choose(n - 1, k - 1) "
	"+\n"
	"choose(n - 1, k), down to ones.\n"
	"\n"
	"  -t, --threshold THRESHOLD  spawn if n is greater (default 20);\n"
	"                             0: always spawn\n"
	"  -s, --seq                  the same, without spawns\n"
	"  -h, --help                 show this\n";

/* A call below the threshold. */
static long
choose_below(int n, int k)
{
	if (k == 0 || k == n)
		return 1;
	return choose_below(n - 1, k - 1) + choose_below(n - 1, k);
}

static long
choose_sequentially(int n, int k, int threshold)
{
	if (k == 0 || k == n)
		return 1;
	if (n <= threshold)
		return choose_below(n, k);
	return choose_sequentially(n - 1, k - 1, threshold) +
	       choose_sequentially(n - 1, k, threshold);
}

STN_TASK(long, choose, int, n, int, k, int, threshold)
{
	long with, without;

	if (k == 0 || k == n)
		return 1;
	if (n <= threshold) {
		with = choose_below(n, k);
		STN_WORK((uint64_t)with); /* so many ones are added */
		STN_PROGRESS((uint64_t)with, 0);
		return with;
	}
	STN_SPAWN(choose, n - 1, k - 1, threshold);
	STN_SPAWN(choose, n - 1, k, threshold);
	without = STN_SYNC(choose);
	with = STN_SYNC(choose);
	return with + without;
}

/*
 * n (n - 1) ... (n - k + 1) / k!, and 0 if k is above n. All partial results
 * are whole numbers.
 */
static long
closed_form(long n, long k)
{
	unsigned __int128 product = k <= n;

	for (long i = 1; i <= k; i++)
		product =
			product * (unsigned long)(n - k + i) / (unsigned long)i;
	return (long)product;
}

/*
 * The units of progress: the ones that are added below the threshold. From n
 * down to the threshold, closed_form(n - below, k) calls end at k = 0, and as
 * many as closed_form(n - below, n - k) at k = n. Those report nothing, because
 * a report would take longer than they do.
 */
static uint64_t
units(int n, int k, int threshold)
{
	int below = threshold > 0 ? threshold : 1;

	if (k == 0 || k == n)
		return 0;
	if (n <= threshold)
		return (uint64_t)closed_form(n, k);
	return (uint64_t)(closed_form(n, k) - closed_form(n - below, k) -
			  closed_form(n - below, n - k));
}

static long
choose_by_tasks(STN_FRAME, int n, int k, int threshold)
{
	long ways;

	STN_PROGRESS(0, units(n, k, threshold));
	ways = STN_CALL(choose, n, k, threshold);
	STN_PROGRESS_END();
	return ways;
}

static int
read_options(int argc, char **argv, struct options *to)
{
	const struct app_option table[] = {
		{ 't', "threshold", "THRESHOLD", .number = &to->threshold,
		  .most = N_MOST },
		{ 's', "seq", .flag = &to->sequential },
		{ .value = "N", .number = &to->n, .most = N_MOST },
		{ .value = "K", .number = &to->k, .most = N_MOST },
		{ 0 },
	};
	int status = app_options(argc, argv, help, table);

	if (status != APP_GO_ON)
		return status;
	if (to->k == HALF_OF_N)
		to->k = to->n / 2;
	if (to->k > to->n)
		return app_misuse("K must be at most N, %ld, not %ld", to->n,
				  to->k);
	return APP_GO_ON;
}

STN_MAIN(argc, argv)
{
	struct options options = { .n = 34, .k = HALF_OF_N, .threshold = 20 };
	int status = read_options(argc, argv, &options);
	int n = (int)options.n, k = (int)options.k;
	int threshold = (int)options.threshold;
	double start, seconds;
	long ways;

	if (status != APP_GO_ON)
		return status;
	start = STN_SECONDS();
	ways = options.sequential
		       ? choose_sequentially(n, k, threshold)
		       : choose_by_tasks(STN_PASS_FRAME, n, k, threshold);
	seconds = STN_SECONDS() - start;
	printf("choose(%d, %d) = %ld\n", n, k, ways);
	printf("time: %.3f s\n", seconds);
	if (ways != closed_form(n, k))
		return app_complain(1, "choose(%d, %d) is %ld", n, k,
				    closed_form(n, k));
	return 0;
}
