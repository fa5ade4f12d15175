/*
 * bench_seq.c: the benchmarks in plain C, with which the others are compared.
 */
#include "bench/bench.h"

static long
fib(int n)
{
	if (n < 2)
		return n;
	return fib(n - 1) + fib(n - 2);
}

static long
queens(uint32_t all, uint32_t columns, uint32_t left, uint32_t right)
{
	uint32_t open, queen;
	long count = 0;

	if (columns == all)
		return 1;
	for (open = all & ~(columns | left | right); open; open ^= queen) {
		queen = open & -open;
		count += queens(all, columns | queen, (left | queen) << 1,
				(right | queen) >> 1);
	}
	return count;
}

static long
board(int n, int row, struct board rows)
{
	long count = 0;

	if (row == n)
		return 1;
	for (int i = 0; i < n; i++)
		if (board_put(&rows, row, i))
			count += board(n, row + 1, rows);
	return count;
}

static long
uts(const struct uts_tree *tree, struct uts_node node)
{
	int children = uts_children(tree, &node);
	long count = 1;

	for (int i = 0; i < children; i++)
		count += uts(tree, uts_child(&node, i));
	return count;
}

static void
multiply(const double *a, const double *b, double *c, size_t n, size_t stride)
{
	size_t half = n / 2;

	if (n == MATRIX_LEAF) {
		matrix_leaf(a, stride, b, stride, c, stride);
		return;
	}
	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < 2; i++)
			for (size_t j = 0; j < 2; j++)
				multiply(a + (i * stride + k) * half,
					 b + (k * stride + j) * half,
					 c + (i * stride + j) * half, half,
					 stride);
}

static __attribute__((noinline)) void
nothing(void)
{
	__asm__ volatile("");
}

/* Makes calls instead of tasks. */
static long
empty(long count, int batch)
{
	(void)batch;
	for (long i = 0; i < count; i++)
		nothing();
	return count;
}

#include "bench/run.h"

int
main(int argc, char **argv)
{
	struct bench bench;

	bench_open(&bench, argc, argv);
	while (bench_round(&bench))
		bench.result = run(&bench);
	return bench.status;
}
