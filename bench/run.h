/*
 * run.h: runs a benchmark by the functions of the file that includes this one:
 * fib, queens, board, uts, multiply and empty.
 */
#ifndef BENCH_RUN_H
#define BENCH_RUN_H

#include "bench/bench.h"

/* run: the result, for bench.result. */
static inline long
run(const struct bench *bench)
{
	const struct matrix_product *p = &bench->product;

	switch (bench->what) {
	case BENCH_FIB:
		return fib((int)bench->size);
	case BENCH_QUEENS:
		return queens((1u << bench->size) - 1, 0, 0, 0);
	case BENCH_BOARD:
		return board((int)bench->size, 0, (struct board){ { 0 } });
	case BENCH_UTS:
		return uts(bench->tree, uts_root(bench->tree));
	case BENCH_MATMUL:
		multiply(p->a, p->b, p->c, p->n, p->stride);
		return 0;
	case BENCH_EMPTY:
		return empty(bench->size, 1);
	case BENCH_BATCHES:
		return empty(bench->size, BENCH_BATCH);
	}
	return 0;
}

#endif
