/*
 * bench.h: the command `sateen bench`.
 */
#ifndef SATEEN_BENCH_H
#define SATEEN_BENCH_H

/*
 * bench: runs a benchmark. @argv has "bench", the benchmark's name, settings
 * and the benchmark's options. Blocks; returns an exit status.
 */
int bench(int argc, char **argv);

#endif
