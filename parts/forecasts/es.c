/*
 * es: exponential smoothing with alpha = 0.5: half the last value and half the
 * prediction of it. Dobber, Koole and van der Mei, CCGrid 2005, section 3. They
 * smooth the time of an iteration; here the caller's series is smoothed, the
 * speed. The mean of speeds is what a node computes over these sweeps; the mean
 * of times overrates slow ones.
 */
#include "parts/forecast.h"

#define ALPHA 0.5

struct es {
	uint64_t count;
	double smooth;
};

static void
es_put(void *state, double value)
{
	struct es *es = state;

	es->smooth =
		es->count++ ? ALPHA * value + (1 - ALPHA) * es->smooth : value;
}

static double
es_get(const void *state)
{
	return ((const struct es *)state)->smooth;
}

const struct stn_forecast stn_forecast_es = {
	.name = "es",
	.help = "exponential smoothing: half the last value, half the "
		"prediction of it",
	.state_bytes = sizeof(struct es),
	.put = es_put,
	.get = es_get,
};
