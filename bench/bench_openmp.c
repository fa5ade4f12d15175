/*
 * bench_openmp.c: the benchmarks with OpenMP's tasks.
 */
#include <alloca.h>

#include "bench/bench.h"

static long
fib(int n)
{
	long x, y;

	if (n < 2)
		return n;
#pragma omp task shared(x)
	x = fib(n - 1);
	y = fib(n - 2);
#pragma omp taskwait
	return x + y;
}

static long
queens(uint32_t all, uint32_t columns, uint32_t left, uint32_t right)
{
	uint32_t open = all & ~(columns | left | right), queen;
	long *counts, count = 0;
	int spawned = 0;

	if (columns == all)
		return 1;
	counts = alloca((size_t)__builtin_popcount(open) * sizeof(*counts));
	for (; open; open ^= queen) {
		long *place = &counts[spawned++];

		queen = open & -open;
#pragma omp task
		*place = queens(all, columns | queen, (left | queen) << 1,
				(right | queen) >> 1);
	}
#pragma omp taskwait
	while (spawned--)
		count += counts[spawned];
	return count;
}

static long
board(int n, int row, struct board rows)
{
	long counts[BOARD_MOST], count = 0;
	int spawned = 0;

	if (row == n)
		return 1;
	for (int i = 0; i < n; i++) {
		long *place = &counts[spawned];

		if (!board_put(&rows, row, i))
			continue;
		spawned++;
#pragma omp task firstprivate(rows)
		*place = board(n, row + 1, rows);
	}
#pragma omp taskwait
	while (spawned--)
		count += counts[spawned];
	return count;
}

static long
uts(const struct uts_tree *tree, struct uts_node node)
{
	int children = uts_children(tree, &node);
	long *counts = alloca((size_t)children * sizeof(*counts)), count = 1;

	for (int i = 0; i < children; i++) {
		struct uts_node child = uts_child(&node, i);

#pragma omp task
		counts[i] = uts(tree, child);
	}
#pragma omp taskwait
	for (int i = 0; i < children; i++)
		count += counts[i];
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
	for (size_t k = 0; k < 2; k++) {
		for (size_t i = 0; i < 2; i++)
			for (size_t j = 0; j < 2; j++)
#pragma omp task
				multiply(a + (i * stride + k) * half,
					 b + (k * stride + j) * half,
					 c + (i * stride + j) * half, half,
					 stride);
#pragma omp taskwait
	}
}

static long
empty(long count, int batch)
{
	for (long i = 0; i < count; i += batch) {
		for (int j = 0; j < batch; j++) {
#pragma omp task
			__asm__ volatile("");
		}
#pragma omp taskwait
	}
	return count;
}

#include "bench/run.h"

int
main(int argc, char **argv)
{
	struct bench bench;

	bench_open(&bench, argc, argv);
	while (bench_round(&bench)) {
#pragma omp parallel
#pragma omp single
		bench.result = run(&bench);
	}
	return bench.status;
}
