/*
 * matmul: C += A B. A task divides its matrices into quadrants, and spawns the
 * eight products of quadrants in two phases of four tasks each.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <sateen.h>

#include "apps/app.h"
#include "apps/matmul/leaf.h"
#include "apps/matmul/matrix.h"

#define LEAF_LEAST 8

struct options {
	long n, leaf, times, seed;
	bool sequential;
};

static const char help[] =
	"usage: matmul [--seq] [-l LEAF] [-r TIMES] [--seed SEED] [N]\n"
	"Multiplies matrices of N by N random numbers, N from 1 to 16384\n"
	"(default 2048), by dividing them into quadrants.\n"
	"\n"
	"  -l, --leaf LEAF     divide matrices with more rows or columns than\n"
	"                      LEAF, 8 to 16384 (default 256)\n"
	"  -r, --repeat TIMES  add the product TIMES times, 1 to 100 (default "
	"1)\n"
	"  --seed SEED         the seed of the numbers (default 1)\n"
	"  -s, --seq           the same, without spawns\n"
	"  -h, --help          show this\n";

/* The start and the size of a quadrant of a matrix. */
struct quadrant {
	size_t offset; /* bytes */
	uint32_t rows, columns;
};

/* If a size is odd, the southern or eastern quadrants are larger by one. */
static struct quadrant
quadrant(uint32_t rows, uint32_t row_bytes, uint64_t stride, bool south,
	 bool east)
{
	uint32_t columns = row_bytes / sizeof(double);
	uint32_t north_rows = rows / 2, west_columns = columns / 2;

	return (struct quadrant){
		(south ? north_rows * stride : 0) +
			(east ? west_columns * sizeof(double) : 0),
		south ? rows - north_rows : north_rows,
		east ? columns - west_columns : west_columns,
	};
}

static struct stn_in
part_in(struct stn_in all, bool south, bool east)
{
	struct quadrant part =
		quadrant(all.rows, all.row_bytes, all.stride, south, east);
	const char *at = all.at;

	return STN_IN_ROWS((const double *)(at + part.offset), part.rows,
			   part.columns, all.stride / sizeof(double));
}

static struct stn_inout
part_inout(struct stn_inout all, bool south, bool east)
{
	struct quadrant part =
		quadrant(all.rows, all.row_bytes, all.stride, south, east);
	char *at = all.at;

	return STN_INOUT_ROWS((double *)(at + part.offset), part.rows,
			      part.columns, all.stride / sizeof(double));
}

static struct leaf_size
size_of(struct stn_inout c, struct stn_in a)
{
	return (struct leaf_size){ c.rows, c.row_bytes / sizeof(double),
				   a.row_bytes / sizeof(double) };
}

static bool
is_leaf(struct leaf_size size, uint32_t leaf)
{
	return size.m <= leaf && size.n <= leaf && size.k <= leaf;
}

/* The number of multiplications, the unit of progress. */
static uint64_t
products(struct leaf_size size)
{
	return (uint64_t)size.m * size.n * size.k;
}

/* The unit of work is 1000 multiplications; one takes less than 1 ns. */
static uint64_t
thousands(struct leaf_size size)
{
	return (products(size) + 500) / 1000;
}

/* A leaf, with tasks and with --seq. */
static void
multiply_leaf(struct stn_inout c, struct stn_in a, struct stn_in b)
{
	leaf_multiply(size_of(c, a),
		      (struct leaf_factor){ a.at, a.stride / sizeof(double) },
		      (struct leaf_factor){ b.at, b.stride / sizeof(double) },
		      (struct leaf_sum){ c.at, c.stride / sizeof(double) });
}

static void
multiply_sequentially(struct stn_inout c, struct stn_in a, struct stn_in b,
		      uint32_t leaf)
{
	if (is_leaf(size_of(c, a), leaf)) {
		multiply_leaf(c, a, b);
		return;
	}
	for (int phase = 0; phase < 2; phase++)
		for (int i = 0; i < 4; i++)
			multiply_sequentially(part_inout(c, i / 2, i % 2),
					      part_in(a, i / 2, phase),
					      part_in(b, phase, i % 2), leaf);
}

/* All products of one phase are added to different quadrants of @c. */
STN_TASK_VOID(multiply, struct stn_inout, c, struct stn_in, a, struct stn_in, b,
	      uint32_t, leaf)
{
	if (is_leaf(size_of(c, a), leaf)) {
		STN_WORK(thousands(size_of(c, a)));
		multiply_leaf(c, a, b);
		STN_PROGRESS(products(size_of(c, a)), 0);
		return;
	}
	for (int phase = 0; phase < 2; phase++) {
		for (int i = 0; i < 4; i++)
			STN_SPAWN(multiply, part_inout(c, i / 2, i % 2),
				  part_in(a, i / 2, phase),
				  part_in(b, phase, i % 2), leaf);
		STN_SYNC_ALL_VOID(multiply);
	}
}

/* Multiplies by the task, or without it (--seq). */
static void
multiply_all(STN_FRAME, const struct matrices *matrices,
	     const struct options *options)
{
	size_t n = matrices->n;
	struct stn_inout c = STN_INOUT_ROWS(matrices->c, n, n, n);
	struct stn_in a = STN_IN_ROWS(matrices->a, n, n, n);
	struct stn_in b = STN_IN_ROWS(matrices->b, n, n, n);
	uint32_t leaf = (uint32_t)options->leaf;

	if (!options->sequential)
		STN_PROGRESS(0, (uint64_t)options->times *
					products(size_of(c, a)));
	for (long i = 0; i < options->times; i++)
		if (options->sequential)
			multiply_sequentially(c, a, b, leaf);
		else
			STN_CALL(multiply, c, a, b, leaf);
	STN_PROGRESS_END();
}

static int
report(const struct matrices *matrices, const struct options *options,
       double seconds)
{
	double n = (double)options->n, times = (double)options->times;
	uint64_t checksum;

	if (!matrices_right(matrices, options->times, (uint64_t)options->seed,
			    &checksum))
		return app_complain(1, "the product is wrong");
	printf("matmul(%ld) = checksum %016" PRIx64 "\n", options->n, checksum);
	printf("%.2f Gflop/s, leaves by %s\n",
	       2 * n * n * n * times / seconds * 1e-9, leaf_kernel());
	printf("time: %.3f s\n", seconds);
	return 0;
}

STN_MAIN(argc, argv)
{
	struct options options = {
		.n = 2048, .leaf = 256, .times = 1, .seed = 1
	};
	const struct app_option table[] = {
		{ 'l', "leaf", "LEAF", .number = &options.leaf,
		  .least = LEAF_LEAST, .most = MATRIX_MOST },
		{ 'r', "repeat", "TIMES", .number = &options.times, .least = 1,
		  .most = MATRIX_TIMES_MOST },
		{ 0, "seed", "SEED", .number = &options.seed,
		  .most = LONG_MAX },
		{ 's', "seq", .flag = &options.sequential },
		{ .value = "N",
		  .number = &options.n,
		  .least = 1,
		  .most = MATRIX_MOST },
		{ 0 },
	};
	int status = app_options(argc, argv, help, table);
	struct matrices matrices;
	double start;

	if (status != APP_GO_ON)
		return status;
	if (!matrices_make(&matrices, (size_t)options.n,
			   (uint64_t)options.seed))
		return app_complain(1, "no memory for matrices of %ld by %ld",
				    options.n, options.n);
	start = STN_SECONDS();
	multiply_all(STN_PASS_FRAME, &matrices, &options);
	status = report(&matrices, &options, STN_SECONDS() - start);
	matrices_free(&matrices);
	return status;
}
