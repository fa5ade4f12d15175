/*
 * last: the next value is the last one.
 */
#include "parts/forecast.h"

static void
last_put(void *state, double value)
{
	*(double *)state = value;
}

static double
last_get(const void *state)
{
	return *(const double *)state;
}

const struct stn_forecast stn_forecast_last = {
	.name = "last",
	.help = "the last value",
	.state_bytes = sizeof(double),
	.put = last_put,
	.get = last_get,
};
