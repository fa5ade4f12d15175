/*
 * fourier: the last 64 values repeat. Of their Fourier series, only the mean
 * and the three strongest oscillations count. Dobber, Koole and van der Mei,
 * CCGrid 2005, name Fourier analysis among the predictions that are to be
 * tried.
 */
#include <math.h>

#include "parts/forecast.h"

#define WINDOW 64
#define STRONGEST 3
#define PI 3.14159265358979323846

struct fourier {
	uint64_t count;
	double values[WINDOW];
};

static void
fourier_put(void *state, double value)
{
	struct fourier *fourier = state;

	fourier->values[fourier->count++ % WINDOW] = value;
}

/* An oscillation: its power, and what it adds to the next value. */
struct wave {
	double power, next;
};

/* The wave with @turns turns in @count values; the next value has angle 0. */
static struct wave
find_wave(const struct fourier *fourier, double mean, size_t count,
	  size_t turns)
{
	double even = 0, odd = 0;

	for (size_t ago = 1; ago <= count; ago++) {
		double value =
			fourier->values[(fourier->count - ago) % WINDOW] - mean;
		double angle =
			2 * PI * (double)(turns * ago % count) / (double)count;

		even += value * cos(angle);
		odd += value * sin(angle);
	}
	return (struct wave){ even * even + odd * odd,
			      (2 * turns == count ? 1 : 2) * even /
				      (double)count };
}

/* Puts @wave into the list, which is sorted by power, if it is strong enough.
 */
static void
keep_strongest(struct wave list[STRONGEST], struct wave wave)
{
	for (size_t i = 0; i < STRONGEST; i++) {
		struct wave weaker = list[i];

		if (wave.power > weaker.power) {
			list[i] = wave;
			wave = weaker;
		}
	}
}

static double
fourier_get(const void *state)
{
	const struct fourier *fourier = state;
	size_t count = fourier->count < WINDOW ? fourier->count : WINDOW;
	struct wave strongest[STRONGEST] = { { 0, 0 } };
	double least, mean = 0, next;

	if (!count)
		return 0;
	least = fourier->values[0];
	for (size_t i = 0; i < count; i++) {
		mean += fourier->values[i];
		if (fourier->values[i] < least)
			least = fourier->values[i];
	}
	mean /= (double)count;
	for (size_t turns = 1; 2 * turns <= count; turns++)
		keep_strongest(strongest,
			       find_wave(fourier, mean, count, turns));
	next = mean;
	for (size_t i = 0; i < STRONGEST; i++)
		next += strongest[i].next;
	return next > least ? next : least;
}

const struct stn_forecast stn_forecast_fourier = {
	.name = "fourier",
	.help = "the three strongest oscillations of the last 64 values",
	.state_bytes = sizeof(struct fourier),
	.put = fourier_put,
	.get = fourier_get,
};
