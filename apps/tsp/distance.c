/*
 * The distance functions of "TSPLIB 95", section 2, with the same roundings,
 * because the published shortest lengths depend on them.
 */
#include <math.h>

#include "apps/tsp/tsplib.h"

/* TSPLIB's values; more exact values would give other distances. */
#define PI 3.141592
#define EARTH_RADIUS_KM 6378.388

static int32_t
nearest_int(double x)
{
	return (int32_t)(x + 0.5);
}

/*
 * Converts a coordinate DDD.MM, degrees and minutes, to radians. TSPLIB's paper
 * rounds to find the degrees, but the published shortest lengths were computed
 * by truncation.
 */
static double
radians(double degrees_minutes)
{
	double degrees = trunc(degrees_minutes);
	double minutes = degrees_minutes - degrees;

	return PI * (degrees + 5.0 * minutes / 3.0) / 180.0;
}

static int32_t
geographical(struct tsplib_point a, struct tsplib_point b)
{
	double q1 = cos(radians(a.y) - radians(b.y));
	double q2 = cos(radians(a.x) - radians(b.x));
	double q3 = cos(radians(a.x) + radians(b.x));
	double cosine = 0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3);

	/* After roundings it may lie outside of the domain of acos(). */
	cosine = fmax(-1.0, fmin(1.0, cosine));
	return (int32_t)(EARTH_RADIUS_KM * acos(cosine) + 1.0);
}

/* The rule of att48 and att532: a scaled length, rounded up. */
static int32_t
pseudo_euclidean(double square)
{
	double exact = sqrt(square / 10.0);
	int32_t rounded = nearest_int(exact);

	return rounded < exact ? rounded + 1 : rounded;
}

static int32_t
distance(enum tsplib_rule rule, struct tsplib_point a, struct tsplib_point b)
{
	double dx = a.x - b.x, dy = a.y - b.y, square = dx * dx + dy * dy;

	switch (rule) {
	case TSPLIB_EUC_2D:
		return nearest_int(sqrt(square));
	case TSPLIB_CEIL_2D:
		return (int32_t)ceil(sqrt(square));
	case TSPLIB_ATT:
		return pseudo_euclidean(square);
	case TSPLIB_GEO:
		return geographical(a, b);
	case TSPLIB_EXPLICIT:
		break;
	}
	return 0;
}

void
tsplib_measure(struct tsplib *tsp, enum tsplib_rule rule,
	       const struct tsplib_point *points)
{
	for (int i = 0; i < tsp->cities; i++)
		for (int j = 0; j < tsp->cities; j++)
			tsp->distance[i][j] =
				i == j ? 0
				       : distance(rule, points[i], points[j]);
}
