#include "apps/nbody/elementary.h"

#include <math.h>

/* log((1 + s) / (1 - s)) = 2 (s + s^3 / 3 + s^5 / 5 + ...), with s < 0.172. */
double
nbody_log(double x)
{
	int power;
	double part = frexp(x, &power), s, square, sum = 0;

	if (part < M_SQRT1_2) {
		part *= 2;
		power--;
	}
	s = (part - 1) / (part + 1);
	square = s * s;
	for (int k = 23; k > 0; k -= 2)
		sum = sum * square + 1.0 / k;
	return power * M_LN2 + 2 * s * sum;
}

/* The series of both for angles up to pi / 4. */
static void
small_angle(double angle, double *cosine, double *sine)
{
	double sums[2] = { 0, 0 }, term = 1;

	for (int i = 0; i < 20; i++) {
		sums[i % 2] += i % 4 < 2 ? term : -term;
		term *= angle / (i + 1);
	}
	*cosine = sums[0];
	*sine = sums[1];
}

void
nbody_turn(double turns, double *cosine, double *sine)
{
	int quarter = (int)(4 * turns + 0.5);
	double c, s;

	small_angle((4 * turns - quarter) * M_PI_2, &c, &s);
	*cosine = quarter % 2 ? -s : c;
	*sine = quarter % 2 ? c : s;
	if (quarter % 4 > 1) {
		*cosine = -*cosine;
		*sine = -*sine;
	}
}

/* Newton's method for y^-3 = x; from below, it does not oscillate. */
double
nbody_root(double x)
{
	int power;
	double part = frexp(x, &power), y = 1;

	while (power % 3) {
		part /= 2;
		power++;
	}
	for (int i = 0; i < 10; i++)
		y = y * (4 - part * y * y * y) / 3;
	return ldexp(y, -power / 3);
}
