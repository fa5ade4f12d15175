/*
 * bench.h: the common part of the benchmark programs. Each computes the same
 * things: bench_seq in plain C, each of the others with the tasks of a runtime.
 *
 *	bench_open(&bench, argc, argv);
 *	while (bench_round(&bench))
 *		bench.result = ...	as bench.what says
 *	return bench.status;
 *
 * There are two rounds. The first one is small; it starts threads and touches
 * memory. The second one is measured. A program prints one line: the seconds,
 * the number of spawned tasks (0 for matmul), and the ticks.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdint.h>

#include "bench/board.h"
#include "bench/matrix.h"
#include "apps/uts/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BENCH_BATCH 8

enum bench_what {
	BENCH_FIB,    /* Fibonacci number @size; a task for each call */
	BENCH_QUEENS, /* ways to place @size queens; a task for each board */
	BENCH_BOARD,  /* the same, on boards (board.h) */
	BENCH_UTS,    /* nodes of @tree; a task for each node */
	BENCH_MATMUL, /* @product; eight tasks for each divided block */
	BENCH_EMPTY,  /* @size empty tasks, each synced before the next */
	BENCH_BATCHES /* @size empty tasks, BENCH_BATCH at a time */
};

struct bench {
	enum bench_what what;
	long size; /* of this round */
	const struct uts_tree *tree;
	struct matrix_product product;
	long result; /* of all but BENCH_MATMUL */
	int status;

	/* For bench.c only. */
	const char *sizes[2]; /* of both rounds, as on the command line */
	int round;
	double start;
	uint64_t start_ticks;
};

/*
 * bench_open: reads the command line. If it is wrong, bench_round returns false
 * at once.
 */
void bench_open(struct bench *bench, int argc, char **argv);

/*
 * bench_round: ends a round and checks its result, then begins the next one.
 * Returns false if there is no next round; then @status is the exit status.
 */
bool bench_round(struct bench *bench);

#ifdef __cplusplus
}
#endif

#endif
