/*
 * forecast.h: the contract of a forecast, which predicts the next value of a
 * series, such as the speed of a node, from those before it. A forecast is one
 * constant table in a file of its own (parts/forecasts). Its state belongs to
 * the caller, is aligned as a double is, and zeroed at first.
 */
#ifndef STN_PARTS_FORECAST_H
#define STN_PARTS_FORECAST_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define STN_FORECAST_BYTES 1024 /* of any forecast's state, at most */

struct stn_forecast {
	const char *name, *help;
	size_t state_bytes;

	/* The series has one more value, at least 0. */
	void (*put)(void *state, double value);

	/* The prediction of the next value; 0 before the first value. */
	double (*get)(const void *state);
};

extern const struct stn_forecast stn_forecast_ar, stn_forecast_best,
	stn_forecast_es, stn_forecast_fourier, stn_forecast_last,
	stn_forecast_mean, stn_forecast_median, stn_forecast_tendency;

/*
 * stn_forecast_find: the forecast called @name, or NULL.
 * stn_forecast_list: prints a line for each.
 */
const struct stn_forecast *stn_forecast_find(const char *name);
void stn_forecast_list(FILE *out);

#endif
