/*
 * tendency: what has grown grows on, and what has fallen falls on. The step is
 * the mean of the last step and of the step that was predicted before: Yang,
 * Foster, Schopf, "Homeostatic and tendency-based CPU load predictions", IPDPS
 * 2003.
 */
#include "parts/forecast.h"

#include <stdbool.h>

#define ADAPT 0.5

struct tendency {
	uint64_t count;
	double last;
	double up, down; /* steps, both at least 0 */
	bool rises;
};

static void
tendency_put(void *state, double value)
{
	struct tendency *tendency = state;
	double step = value - tendency->last;

	if (tendency->count++ && step > 0)
		tendency->up += ADAPT * (step - tendency->up);
	else if (tendency->count > 1 && step < 0)
		tendency->down += ADAPT * (-step - tendency->down);
	tendency->rises = step > 0;
	if (tendency->count == 1 || !(step > 0 || step < 0))
		tendency->up = tendency->down = 0;
	tendency->last = value;
}

static double
tendency_get(const void *state)
{
	const struct tendency *tendency = state;
	double next = tendency->rises ? tendency->last + tendency->up
				      : tendency->last - tendency->down;

	return next > 0 ? next : 0;
}

const struct stn_forecast stn_forecast_tendency = {
	.name = "tendency",
	.help = "goes on rising or falling",
	.state_bytes = sizeof(struct tendency),
	.put = tendency_put,
	.get = tendency_get,
};
