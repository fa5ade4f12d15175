/*
 * bench.h: the command `sateen bench`.
 */
#ifndef SATEEN_BENCH_H
#define SATEEN_BENCH_H

/*
 * bench: @argv is "bench", the benchmark, its options. Returns an exit status.
 */
int bench(int argc, char **argv);

#endif
