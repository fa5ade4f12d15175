/*
 * rows.h: the results of a benchmark for `make bench-all`: lines of the file
 * that $BENCH_ROWS names (bench/README.md). rows.awk and Rows.pm do the same.
 */
#ifndef BENCH_ROWS_H
#define BENCH_ROWS_H

/*
 * rows_add: appends a row; does nothing without $BENCH_ROWS.
 * @verdict  "met", "missed", "unresolved", or "" if there is no target
 * @format   of NAME\tTARGET\tVALUE\tSPREAD
 */
void rows_add(const char *verdict, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
