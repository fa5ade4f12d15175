#include "apps/nbody/density.h"

#include <math.h>
#include <stdlib.h>

#include "apps/shades.h"

#define PIXELS 512
#define OUTSIDE 0.005 /* of the particles, at each end */

static int
compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

/* Finds the range of one coordinate, without its ends. */
static bool
find_range(const struct nbody_particle *all, uint64_t count, int d,
	   double range[2])
{
	double *values = malloc(count * sizeof(*values));
	uint64_t cut = (uint64_t)(OUTSIDE * (double)count);

	if (!values)
		return false;
	for (uint64_t i = 0; i < count; i++)
		values[i] = all[i].at[d];
	qsort(values, count, sizeof(*values), compare);
	range[0] = values[cut];
	range[1] = values[count - 1 - cut];
	free(values);
	return true;
}

/* The pixel of a coordinate, or one outside of the picture. */
static double
pixel_of(double at, const double range[2], double side)
{
	double middle = (range[0] + range[1]) / 2;

	return floor(((at - middle) / side + 0.5) * (PIXELS - 1) + 0.5);
}

static void
count_particles(const struct nbody_particle *all, uint64_t count,
		double range[2][2], double *pixels)
{
	double side =
		fmax(range[0][1] - range[0][0], range[1][1] - range[1][0]);

	if (!(side > 0))
		side = 1;
	for (uint64_t i = 0; i < count; i++) {
		double x = pixel_of(all[i].at[0], range[0], side);
		double y = pixel_of(all[i].at[1], range[1], side);

		if (x >= 0 && x < PIXELS && y >= 0 && y < PIXELS)
			pixels[(PIXELS - 1 - (size_t)y) * PIXELS + (size_t)x]++;
	}
	for (size_t i = 0; i < (size_t)PIXELS * PIXELS; i++)
		pixels[i] = log1p(pixels[i]);
}

bool
nbody_density_write(const char *path, const struct nbody_particle *all,
		    uint64_t count, struct app_why *why)
{
	double *pixels = calloc((size_t)PIXELS * PIXELS, sizeof(*pixels));
	double range[2][2];
	bool written;

	if (!pixels || !find_range(all, count, 0, range[0]) ||
	    !find_range(all, count, 1, range[1])) {
		free(pixels);
		return app_because(why, "out of memory");
	}
	count_particles(all, count, range, pixels);
	written = shades_write(path, pixels, PIXELS, PIXELS, why);
	free(pixels);
	return written;
}
