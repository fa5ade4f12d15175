#include "bench/sample.h"

#include <stdio.h>
#include <stdlib.h>

void
sample_add(struct sample *sample, double value)
{
	if (sample->count < SAMPLE_MOST)
		sample->values[sample->count++] = value;
}

static int
by_value(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

/*
 * The values must be sorted. The rank is rounded up: of 20 values the 20th is
 * the percentile 99. Rounded down, it would be the 19th, which 5 % of them
 * exceed.
 */
static double
at(const struct sample *sample, size_t percent)
{
	size_t rank = (sample->count * percent + 99) / 100;

	return sample->values[rank ? rank - 1 : 0];
}

double
sample_at(struct sample *sample, size_t percent)
{
	if (!sample->count)
		return 0;
	qsort(sample->values, sample->count, sizeof(double), by_value);
	return at(sample, percent);
}

void
sample_print(struct sample *sample, const char *name)
{
	if (!sample->count)
		return;
	qsort(sample->values, sample->count, sizeof(double), by_value);
	printf("%-8s  p10 %.0f  median %.0f  p90 %.0f  max %.0f ns, of %zu\n",
	       name, at(sample, 10), at(sample, 50), at(sample, 90),
	       at(sample, 100), sample->count);
}
