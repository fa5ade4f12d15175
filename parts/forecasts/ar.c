/*
 * ar: an autoregressive model: the next value's distance from the mean is a
 * weighted sum of the last 16 distances. Dinda, O'Hallaron, "Host load
 * prediction using linear models", Cluster Computing 3, 2000, recommend order
 * 16. The weights follow from the autocovariances of the last 120 values by the
 * equations of Yule and Walker, solved by the recursion of Levinson and Durbin.
 * They fit 600 values or more, one a second; here there is a value every few
 * sweeps, so the order is at most a quarter of the number of values.
 */
#include "parts/forecast.h"

#define ORDER 16
#define WINDOW 120

struct ar {
	uint64_t count;
	double values[WINDOW];
};

_Static_assert(sizeof(struct ar) <= STN_FORECAST_BYTES,
	       "the largest state of a forecast is too large");

static void
ar_put(void *state, double value)
{
	struct ar *ar = state;

	ar->values[ar->count++ % WINDOW] = value;
}

/* The distance from @mean of the value @ago values before the last one. */
static double
distance(const struct ar *ar, double mean, size_t ago)
{
	return ar->values[(ar->count - 1 - ago) % WINDOW] - mean;
}

static double
covariance(const struct ar *ar, double mean, size_t count, size_t lag)
{
	double sum = 0;

	for (size_t i = lag; i < count; i++)
		sum += distance(ar, mean, i) * distance(ar, mean, i - lag);
	return sum / (double)count;
}

/* @weights of the last values, the last one first; 0 if all are equal. */
static void
fit_weights(const double *covariances, size_t order, double *weights)
{
	double error = covariances[0];

	for (size_t m = 0; m < order; m++) {
		double reflection = covariances[m + 1], former[ORDER];

		for (size_t i = 0; i < m; i++) {
			former[i] = weights[i];
			reflection -= weights[i] * covariances[m - i];
		}
		reflection = error > 0 ? reflection / error : 0;
		for (size_t i = 0; i < m; i++)
			weights[i] -= reflection * former[m - 1 - i];
		weights[m] = reflection;
		error *= 1 - reflection * reflection;
	}
}

/* Between the least and the greatest of the values. */
static double
within_values(const struct ar *ar, size_t count, double next)
{
	double least = ar->values[0], most = least;

	for (size_t i = 1; i < count; i++) {
		double value = ar->values[i];

		least = value < least ? value : least;
		most = value > most ? value : most;
	}
	return next < least ? least : next > most ? most : next;
}

static double
ar_get(const void *state)
{
	const struct ar *ar = state;
	size_t count = ar->count < WINDOW ? ar->count : WINDOW;
	size_t order = count / 4 < ORDER ? count / 4 : ORDER;
	double covariances[ORDER + 1], weights[ORDER], mean = 0, next;

	if (!count)
		return 0;
	for (size_t i = 0; i < count; i++)
		mean += ar->values[i];
	mean /= (double)count;
	for (size_t i = 0; i <= order; i++)
		covariances[i] = covariance(ar, mean, count, i);
	fit_weights(covariances, order, weights);
	next = mean;
	for (size_t i = 0; i < order; i++)
		next += weights[i] * distance(ar, mean, i);
	return within_values(ar, count, next);
}

const struct stn_forecast stn_forecast_ar = {
	.name = "ar",
	.help = "an autoregressive model of order 16",
	.state_bytes = sizeof(struct ar),
	.put = ar_put,
	.get = ar_get,
};
