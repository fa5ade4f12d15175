/*
 * bench_tbb.cpp: the benchmarks with oneTBB's tasks. Like OpenMP's it takes the
 * number of threads from OMP_NUM_THREADS.
 */
#include <alloca.h>
#include <cstdlib>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_group.h>

#include "bench/bench.h"

using oneapi::tbb::global_control;
using oneapi::tbb::task_group;

static long
fib(int n)
{
	long x, y;

	if (n < 2)
		return n;
	task_group tasks;
	tasks.run([&x, n] { x = fib(n - 1); });
	y = fib(n - 2);
	tasks.wait();
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
	counts = (long *)alloca((size_t)__builtin_popcount(open) *
				sizeof(*counts));
	task_group tasks;
	for (; open; open ^= queen) {
		long *place = &counts[spawned++];

		queen = open & -open;
		tasks.run([=] {
			*place = queens(all, columns | queen,
					(left | queen) << 1,
					(right | queen) >> 1);
		});
	}
	tasks.wait();
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
	task_group tasks;
	for (int i = 0; i < n; i++) {
		if (!board_put(&rows, row, i))
			continue;
		long *place = &counts[spawned++];

		tasks.run([=] { *place = board(n, row + 1, rows); });
	}
	tasks.wait();
	while (spawned--)
		count += counts[spawned];
	return count;
}

static long
uts(const struct uts_tree *tree, const struct uts_node &node)
{
	int children = uts_children(tree, &node);
	long *counts = (long *)alloca((size_t)children * sizeof(*counts));
	long count = 1;

	if (children == 0)
		return 1;
	task_group tasks;
	for (int i = 0; i < children; i++) {
		struct uts_node child = uts_child(&node, i);

		tasks.run([=] { counts[i] = uts(tree, child); });
	}
	tasks.wait();
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
	task_group tasks;
	for (size_t k = 0; k < 2; k++) {
		for (size_t i = 0; i < 2; i++)
			for (size_t j = 0; j < 2; j++)
				tasks.run([=] {
					multiply(a + (i * stride + k) * half,
						 b + (k * stride + j) * half,
						 c + (i * stride + j) * half,
						 half, stride);
				});
		tasks.wait();
	}
}

static long
empty(long count, int batch)
{
	task_group tasks;

	for (long i = 0; i < count; i += batch) {
		for (int j = 0; j < batch; j++)
			tasks.run([] {});
		tasks.wait();
	}
	return count;
}

#include "bench/run.h"

static size_t
threads()
{
	const char *number = getenv("OMP_NUM_THREADS");

	return number ? strtoul(number, nullptr, 10)
		      : (size_t)oneapi::tbb::info::default_concurrency();
}

int
main(int argc, char **argv)
{
	global_control most(global_control::max_allowed_parallelism, threads());
	global_control stack(global_control::thread_stack_size, 256u << 20);
	struct bench bench;

	bench_open(&bench, argc, argv);
	while (bench_round(&bench))
		bench.result = run(&bench);
	return bench.status;
}
