/*
 * sleepers.c: parts of any size, whose sweeps take time but little of a processor:
 * the kernel sleeps before it changes the part. So more nodes than the machine has processors work at the same
 * time, and a link between them can be measured while they do. Prints the sum
 * of the parts' values, which does not depend on where the parts were.
 */
#include <stdio.h>
#include <time.h>

#include "apps/app.h"
#include "parts/sateen_parts.h"

struct options {
	long parts, kib, sweeps, sleep_us;
};

static const char help[] =
	"usage: sleepers [--parts N] [--kib N] [--sweeps N] [--sleep US]\n"
	"Sweeps parts whose kernel sleeps.\n"
	"\n"
	"  -p, --parts N   parts (default 200)\n"
	"  -k, --kib N     memory of each, in KiB (default 1024)\n"
	"  -n, --sweeps N  (default 50)\n"
	"  -s, --sleep US  a part sleeps so many microseconds in a sweep\n"
	"                  (default 1000)\n"
	"  -h, --help      show this\n";

/* Whole numbers: their sums are exact, in any order. */
STN_KERNEL(sleepers_begin, double)
{
	for (long i = 0; i < at->columns; i++)
		at->to[i] = (double)((at->row * 31 + i) % 1000);
}

STN_KERNEL(sleepers_sweep, double, long, sleep_us)
{
	const struct timespec time = { sleep_us / 1000000,
				       sleep_us % 1000000 * 1000 };

	nanosleep(&time, NULL);
	for (long i = 0; i < at->columns; i++)
		at->to[i]++;
}

STN_MEASURE(sleepers_sum, double)
{
	double sum = 0;

	for (long i = 0; i < at->columns; i++)
		sum += at->from[i];
	return sum;
}

static int
read_options(int argc, char **argv, struct options *to)
{
	const struct app_option table[] = {
		{ 'p', "parts", "N", .number = &to->parts, .least = 1,
		  .most = 1000000 },
		{ 'k', "kib", "N", .number = &to->kib, .least = 1,
		  .most = 1000000 },
		{ 'n', "sweeps", "N", .number = &to->sweeps, .least = 1,
		  .most = 1000000 },
		{ 's', "sleep", "US", .number = &to->sleep_us,
		  .most = 10000000 },
		{ 0 },
	};

	return app_options(argc, argv, help, table);
}

STN_MAIN(argc, argv)
{
	struct options options = {
		.parts = 200, .kib = 1024, .sweeps = 50, .sleep_us = 1000
	};
	int status = read_options(argc, argv, &options);
	long columns = options.kib * 1024 / (long)sizeof(double);
	struct stn_parts *grid;
	double begin;

	if (status != APP_GO_ON)
		return status;
	grid = STN_GRID(double, options.parts, columns, .copies = 1,
			.part_rows = 1, .part_columns = columns);
	STN_FILL(grid, sleepers_begin);
	begin = STN_SECONDS();
	STN_SWEEPS(grid, options.sweeps, sleepers_sweep, options.sleep_us);
	printf("time: %.3f s\n", STN_SECONDS() - begin);
	printf("sum = %.17g\n", STN_SUM(grid, sleepers_sum));
	return 0;
}
