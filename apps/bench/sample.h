/*
 * sample.h: many measurements of the same thing, and what to say of them.
 */
#ifndef BENCH_SAMPLE_H
#define BENCH_SAMPLE_H

#include <stddef.h>

#define SAMPLE_MOST 100000

struct sample {
	size_t count;
	double values[SAMPLE_MOST];
};

/* sample_add: one more, if there is room. */
void sample_add(struct sample *sample, double value);

/*
 * sample_at: the value that @percent of all are not above; 0 if there is none.
 * Sorts them.
 */
double sample_at(struct sample *sample, size_t percent);

/*
 * sample_print: one line of a name and what lies at 10 %, in the middle, at 90
 * % and at the end of the values, which are sorted by this, and their number.
 */
void sample_print(struct sample *sample, const char *name);

#endif
