/*
 * average.h: a sweep in which each point becomes the average of its neighbours,
 * and the sum of all points. For programs of one file.
 */
#ifndef TESTS_TOY_AVERAGE_H
#define TESTS_TOY_AVERAGE_H

#include <sateen_parts.h>

STN_KERNEL(average, double)
{
	for (long i = 0; i < at->rows; i++)
		for (long j = 0; j < at->columns; j++) {
			const double *x = at->from + i * at->stride + j;

			at->to[i * at->stride + j] =
				(x[-at->stride] + x[at->stride] + x[-1] +
				 x[1]) /
				4;
		}
}

STN_MEASURE(total, double)
{
	double sum = 0;

	for (long i = 0; i < at->rows; i++)
		for (long j = 0; j < at->columns; j++)
			sum += at->from[i * at->stride + j];
	return sum;
}

#endif
