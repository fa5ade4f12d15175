/*
 * median: the median of the last 21 values. A short outlier does not change it.
 */
#include "parts/forecast.h"

#include <string.h>

#define WINDOW 21

struct median {
	uint64_t count;
	double values[WINDOW];
};

static void
median_put(void *state, double value)
{
	struct median *median = state;

	median->values[median->count++ % WINDOW] = value;
}

static void
sort_values(double *values, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		double value = values[i];
		size_t at = i;

		for (; at && values[at - 1] > value; at--)
			values[at] = values[at - 1];
		values[at] = value;
	}
}

/* Of an even number of values, the mean of the two in the middle. */
static double
median_get(const void *state)
{
	const struct median *median = state;
	size_t count = median->count < WINDOW ? median->count : WINDOW;
	double sorted[WINDOW];

	if (!count)
		return 0;
	memcpy(sorted, median->values, count * sizeof(sorted[0]));
	sort_values(sorted, count);
	return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

const struct stn_forecast stn_forecast_median = {
	.name = "median",
	.help = "the median of the last 21 values",
	.state_bytes = sizeof(struct median),
	.put = median_put,
	.get = median_get,
};
