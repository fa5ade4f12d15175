/*
 * bench_lace.c: the benchmarks with Lace's tasks (github.com/trolando/lace),
 * for `make bench-core LACE=DIRECTORY`.
 */
#include <stdlib.h>

#include <lace.h>

#include "bench/bench.h"

#define DEQUE_TASKS 1000000

TASK_1(long, fib, int, n)
{
	long x, y;

	if (n < 2)
		return n;
	SPAWN(fib, n - 1);
	y = CALL(fib, n - 2);
	x = SYNC(fib);
	return x + y;
}

TASK_4(long, queens, uint32_t, all, uint32_t, columns, uint32_t, left, uint32_t,
       right)
{
	uint32_t open, queen;
	size_t spawned = 0;
	long count = 0;

	if (columns == all)
		return 1;
	for (open = all & ~(columns | left | right); open; open ^= queen) {
		queen = open & -open;
		SPAWN(queens, all, columns | queen, (left | queen) << 1,
		      (right | queen) >> 1);
		spawned++;
	}
	for (; spawned; spawned--)
		count += SYNC(queens);
	return count;
}

TASK_3(long, board, int, n, int, row, struct board, rows)
{
	size_t spawned = 0;
	long count = 0;

	if (row == n)
		return 1;
	for (int i = 0; i < n; i++)
		if (board_put(&rows, row, i)) {
			SPAWN(board, n, row + 1, rows);
			spawned++;
		}
	for (; spawned; spawned--)
		count += SYNC(board);
	return count;
}

TASK_2(long, uts, const struct uts_tree *, tree, struct uts_node, node)
{
	int children = uts_children(tree, &node);
	long count = 1;

	for (int i = 0; i < children; i++)
		SPAWN(uts, tree, uts_child(&node, i));
	for (int i = 0; i < children; i++)
		count += SYNC(uts);
	return count;
}

VOID_TASK_5(multiply, const double *, a, const double *, b, double *, c, size_t,
	    n, size_t, stride)
{
	size_t half = n / 2;

	if (n == MATRIX_LEAF) {
		matrix_leaf(a, stride, b, stride, c, stride);
		return;
	}
	for (size_t k = 0; k < 2; k++) {
		for (size_t i = 0; i < 2; i++)
			for (size_t j = 0; j < 2; j++)
				SPAWN(multiply, a + (i * stride + k) * half,
				      b + (k * stride + j) * half,
				      c + (i * stride + j) * half, half,
				      stride);
		for (int i = 0; i < 4; i++)
			SYNC(multiply);
	}
}

VOID_TASK_0(nothing)
{
}

TASK_2(long, empty, long, count, int, batch)
{
	for (long i = 0; i < count; i += batch) {
		for (int j = 0; j < batch; j++)
			SPAWN(nothing);
		for (int j = 0; j < batch; j++)
			SYNC(nothing);
	}
	return count;
}

#define fib(n) RUN(fib, n)
#define queens(all, columns, left, right) RUN(queens, all, columns, left, right)
#define board(n, row, rows) RUN(board, n, row, rows)
#define uts(tree, root) RUN(uts, tree, root)
#define multiply(a, b, c, n, stride) RUN(multiply, a, b, c, n, stride)
#define empty(count, batch) RUN(empty, count, batch)
#include "bench/run.h"

int
main(int argc, char **argv)
{
	const char *workers = getenv("STN_WORKERS");
	struct bench bench;

	bench_open(&bench, argc, argv);
	lace_set_stacksize((size_t)256 << 20);
	lace_start(workers ? (unsigned)atoi(workers) : 1, DEQUE_TASKS);
	while (bench_round(&bench))
		bench.result = run(&bench);
	lace_stop();
	return bench.status;
}
