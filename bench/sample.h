/*
 * sample.h: many measurements of one thing, and their percentiles.
 */
#ifndef BENCH_SAMPLE_H
#define BENCH_SAMPLE_H

#include <stddef.h>

#define SAMPLE_MOST 100000

struct sample {
	size_t count;
	double values[SAMPLE_MOST];
};

/* sample_add: adds a value; does nothing after SAMPLE_MOST values. */
void sample_add(struct sample *sample, double value);

/*
 * sample_at: returns the percentile @percent: the least value that at least
 * @percent % of the values do not exceed. 99 % of the values are therefore at
 * most the percentile 99, and 99 % are at least the percentile 1. 0 if there
 * are no values. Sorts the values.
 */
double sample_at(struct sample *sample, size_t percent);

/*
 * sample_print: prints a line: the name, the percentiles 10, 50, 90 and 100,
 * and the number of values. Prints nothing if there are none. Sorts the values.
 */
void sample_print(struct sample *sample, const char *name);

#endif
