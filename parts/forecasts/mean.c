/*
 * mean: the mean of the last 20 values.
 */
#include "parts/forecast.h"

#define WINDOW 20

struct mean {
	uint64_t count;
	double values[WINDOW];
};

static void
mean_put(void *state, double value)
{
	struct mean *mean = state;

	mean->values[mean->count++ % WINDOW] = value;
}

static double
mean_get(const void *state)
{
	const struct mean *mean = state;
	size_t count = mean->count < WINDOW ? mean->count : WINDOW;
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += mean->values[i];
	return count ? sum / (double)count : 0;
}

const struct stn_forecast stn_forecast_mean = {
	.name = "mean",
	.help = "the mean of the last 20 values",
	.state_bytes = sizeof(struct mean),
	.put = mean_put,
	.get = mean_get,
};
