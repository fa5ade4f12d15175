/*
 * bench_sateen.c: the benchmarks with Sateen's tasks. Other nodes could steal
 * all of them.
 */
#include <sateen.h>

#include "bench/bench.h"

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

STN_TASK(long, queens, uint32_t, all, uint32_t, columns, uint32_t, left,
	 uint32_t, right)
{
	uint32_t open, queen;
	size_t spawned = 0;
	long count = 0;

	if (columns == all)
		return 1;
	for (open = all & ~(columns | left | right); open; open ^= queen) {
		queen = open & -open;
		STN_SPAWN(queens, all, columns | queen, (left | queen) << 1,
			  (right | queen) >> 1);
		spawned++;
	}
	for (; spawned; spawned--)
		count += STN_SYNC(queens);
	return count;
}

STN_TASK(long, board, int, n, int, row, struct board, rows)
{
	size_t spawned = 0;
	long count = 0;

	if (row == n)
		return 1;
	for (int i = 0; i < n; i++)
		if (board_put(&rows, row, i)) {
			STN_SPAWN(board, n, row + 1, rows);
			spawned++;
		}
	for (; spawned; spawned--)
		count += STN_SYNC(board);
	return count;
}

STN_TASK(long, uts, int, tree, struct uts_node, node)
{
	int children = uts_children(&uts_trees[tree], &node);
	long count = 1;

	for (int i = 0; i < children; i++)
		STN_SPAWN(uts, tree, uts_child(&node, i));
	for (int i = 0; i < children; i++)
		count += STN_SYNC(uts);
	return count;
}

/* Returns a quarter of a matrix. */
static struct stn_in
in_quarter(struct stn_in whole, size_t row, size_t column)
{
	size_t half = whole.rows / 2, step = whole.stride / sizeof(double);
	const double *at = whole.at;

	return STN_IN_ROWS(at + (row * step + column) * half, half, half, step);
}

static struct stn_inout
inout_quarter(struct stn_inout whole, size_t row, size_t column)
{
	size_t half = whole.rows / 2, step = whole.stride / sizeof(double);
	double *at = whole.at;

	return STN_INOUT_ROWS(at + (row * step + column) * half, half, half,
			      step);
}

STN_TASK_VOID(multiply, struct stn_in, a, struct stn_in, b, struct stn_inout, c)
{
	if (c.rows == MATRIX_LEAF) {
		matrix_leaf(a.at, a.stride / sizeof(double), b.at,
			    b.stride / sizeof(double), c.at,
			    c.stride / sizeof(double));
		return;
	}
	for (size_t k = 0; k < 2; k++) {
		for (size_t i = 0; i < 2; i++)
			for (size_t j = 0; j < 2; j++)
				STN_SPAWN(multiply, in_quarter(a, i, k),
					  in_quarter(b, k, j),
					  inout_quarter(c, i, j));
		for (int i = 0; i < 4; i++)
			STN_SYNC(multiply);
	}
}

STN_TASK_VOID(nothing)
{
}

STN_TASK(long, empty, long, count)
{
	for (long i = 0; i < count; i++) {
		STN_SPAWN(nothing);
		STN_SYNC(nothing);
	}
	return count;
}

STN_TASK(long, batches, long, count)
{
	for (long i = 0; i < count; i += BENCH_BATCH) {
		for (int j = 0; j < BENCH_BATCH; j++)
			STN_SPAWN(nothing);
		for (int j = 0; j < BENCH_BATCH; j++)
			STN_SYNC(nothing);
	}
	return count;
}

static long
run(STN_FRAME, const struct bench *bench)
{
	const struct matrix_product *p = &bench->product;

	switch (bench->what) {
	case BENCH_FIB:
		return STN_CALL(fib, (int)bench->size);
	case BENCH_QUEENS:
		return STN_CALL(queens, (1u << bench->size) - 1, 0, 0, 0);
	case BENCH_BOARD:
		return STN_CALL(board, (int)bench->size, 0,
				(struct board){ { 0 } });
	case BENCH_UTS:
		return STN_CALL(uts, (int)(bench->tree - uts_trees),
				uts_root(bench->tree));
	case BENCH_MATMUL:
		STN_CALL(multiply, STN_IN_ROWS(p->a, p->n, p->n, p->stride),
			 STN_IN_ROWS(p->b, p->n, p->n, p->stride),
			 STN_INOUT_ROWS(p->c, p->n, p->n, p->stride));
		return 0;
	case BENCH_EMPTY:
		return STN_CALL(empty, bench->size);
	case BENCH_BATCHES:
		return STN_CALL(batches, bench->size);
	}
	return 0;
}

STN_MAIN(argc, argv)
{
	struct bench bench;

	bench_open(&bench, argc, argv);
	while (bench_round(&bench))
		bench.result = run(STN_PASS_FRAME, &bench);
	return bench.status;
}
