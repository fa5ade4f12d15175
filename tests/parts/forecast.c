/*
 * forecast.c: what forecasts predict, compared with arithmetic by hand.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "parts/forecast.h"
#include "tests/tap.h"

static double state[STN_FORECAST_BYTES / sizeof(double)];

static const struct stn_forecast *
begin(const char *name)
{
	const struct stn_forecast *forecast = stn_forecast_find(name);

	if (!forecast || forecast->state_bytes > sizeof(state)) {
		printf("Bail out! %s\n", name);
		exit(EXIT_FAILURE);
	}
	memset(state, 0, sizeof(state));
	return forecast;
}

/* Puts first, first + step, ...: count values. */
static void
put_run(const struct stn_forecast *forecast, double first, double step,
	unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		forecast->put(state, first + i * step);
}

static void
test_each(void)
{
	static const char *const names[] = { "last",   "es",	 "mean",
					     "median", "best",	 "tendency",
					     "ar",     "fourier" };
	const struct stn_forecast *forecast;
	bool none = true, same = true;

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		forecast = begin(names[i]);
		none = none && forecast->get(state) == 0;
		put_run(forecast, 3, 0, 50);
		same = same && forecast->get(state) == 3;
	}
	tap_ok(none, "without values each forecast is 0");
	tap_ok(same, "each forecast predicts what does not change");
	forecast = begin("last");
	put_run(forecast, 1, 1, 9);
	tap_ok(forecast->get(state) == 9, "last: the last value");
	forecast = begin("es");
	put_run(forecast, 1, 1, 3);
	tap_ok(forecast->get(state) == 2.25, "es: half of each older value");
	forecast = begin("mean");
	put_run(forecast, 1, 1, 3);
	tap_ok(forecast->get(state) == 2, "mean: of the values that there are");
	put_run(forecast, 4, 1, 37);
	tap_ok(forecast->get(state) == 30.5, "mean: of the last 20");
	forecast = begin("median");
	put_run(forecast, 1, 1, 4);
	tap_ok(forecast->get(state) == 2.5, "median: of four values");
	put_run(forecast, 100, -1, 21);
	tap_ok(forecast->get(state) == 90, "median: of the last 21");
}

static void
test_best(void)
{
	const struct stn_forecast *best = begin("best");

	put_run(best, 1, 1, 30);
	tap_ok(best->get(state) == 30, "best: the last value of a slope");
	for (unsigned i = 0; i < 200; i++)
		best->put(state, i % 2 ? 4 : 2);
	tap_ok(fabs(best->get(state) - 3) < 0.3,
	       "best: the middle of a zigzag");
}

/* 5 + 2 sin, with 16 values a turn. */
static double
wave(unsigned i)
{
	return 5 + 2 * sin(i * 3.14159265358979323846 / 8);
}

static void
test_models(void)
{
	const struct stn_forecast *ar = begin("ar"), *fourier;
	double error = 0;

	for (unsigned i = 0; i < 200; i++)
		ar->put(state, i % 2 ? 4 : 2);
	tap_ok(fabs(ar->get(state) - 2) < 0.1, "ar: a zigzag goes on");
	ar = begin("ar");
	for (unsigned i = 0; i < 300; i++) {
		if (i >= 200)
			error += fabs(ar->get(state) - wave(i)) / 100;
		ar->put(state, wave(i));
	}
	tap_ok(error < 0.2, "ar: a wave goes on, but for %.3f", error);
	fourier = begin("fourier");
	for (unsigned i = 0; i < 77; i++)
		fourier->put(state, wave(i) + 3 * (i % 2));
	tap_ok(fabs(fourier->get(state) - wave(77) - 3) < 1e-9,
	       "fourier: two waves go on");
}

int
main(void)
{
	tap_begin();
	test_each();
	test_best();
	test_models();
	return tap_end();
}
