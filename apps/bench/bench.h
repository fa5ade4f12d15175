/*
 * bench.h: what the benchmark programs share: each computes the same things,
 * bench_seq in plain C, the others by tasks of one runtime each.
 *
 *	bench_open(&bench, argc, argv);
 *	while (bench_round(&bench))
 *		bench.result = ...	as bench.what says
 *	return bench.status;
 *
 * There are two rounds: a small one, that starts threads and touches memory,
 * and the one that is measured. A program prints, in one line, its seconds,
 * how many tasks were spawned (0 if that tells nothing), and its ticks.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdint.h>

#include "apps/bench/board.h"
#include "apps/bench/matrix.h"
#include "apps/uts/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BENCH_BATCH 8

enum bench_what {
	BENCH_FIB,    /* the Fibonacci number of @size; all calls are tasks */
	BENCH_QUEENS, /* ways to place @size queens; every placement is one */
	BENCH_BOARD,  /* the same, on boards (board.h) */
	BENCH_UTS,    /* nodes of @tree; every node is one */
	BENCH_MATMUL, /* @product; every block that is divided makes eight */
	BENCH_EMPTY,  /* @size empty tasks, each synced before the next; */
	BENCH_BATCHES /*   BENCH_BATCH at a time */
};

struct bench {
	enum bench_what what;
	long size; /* of this round */
	const struct uts_tree *tree;
	struct matrix_product product;
	long result; /* of all but BENCH_MATMUL */
	int status;

	/* bench.c's own. */
	const char *sizes[2]; /* of both rounds, as words */
	int round;
	double start;
	uint64_t start_ticks;
};

/* bench_open: reads the command line. If it can't, there will be no round. */
void bench_open(struct bench *bench, int argc, char **argv);

/*
 * bench_round: ends a round and checks its result, then begins the next one.
 * False if there is none; then @status is the program's exit status.
 */
bool bench_round(struct bench *bench);

#ifdef __cplusplus
}
#endif

#endif
