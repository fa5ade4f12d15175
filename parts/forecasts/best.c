/*
 * best: the prediction of that forecast of the other ones which has had the
 * smallest error so far. As the Network Weather Service does (Wolski, Spring,
 * Hayes: "The network weather service", FGCS 15, 1999). Old errors count less
 * and less, so that another forecast can become the best.
 */
#include "parts/forecast.h"

#define FORGET 0.95

static const struct stn_forecast *const others[] = {
	&stn_forecast_last,
	&stn_forecast_es,
	&stn_forecast_mean,
	&stn_forecast_median,
};

#define OTHERS (sizeof(others) / sizeof(others[0]))
#define OTHER_DOUBLES 23

struct best {
	double errors[OTHERS]; /* squares, summed */
	double states[OTHERS][OTHER_DOUBLES];
};

_Static_assert(sizeof(struct best) <= STN_FORECAST_BYTES,
	       "the largest state of a forecast is too large");

static void
best_put(void *state, double value)
{
	struct best *best = state;

	for (size_t i = 0; i < OTHERS; i++) {
		double error = others[i]->get(best->states[i]) - value;

		best->errors[i] = FORGET * best->errors[i] + error * error;
		others[i]->put(best->states[i], value);
	}
}

static double
best_get(const void *state)
{
	const struct best *best = state;
	size_t least = 0;

	for (size_t i = 1; i < OTHERS; i++)
		if (best->errors[i] < best->errors[least])
			least = i;
	return others[least]->get(best->states[least]);
}

const struct stn_forecast stn_forecast_best = {
	.name = "best",
	.help = "the forecast of these whose errors have been the smallest",
	.state_bytes = sizeof(struct best),
	.put = best_put,
	.get = best_get,
};
