#include "apps/shades.h"

#include <config.h>
#include <math.h>
#include <stdlib.h>

#include "apps/picture.h"

#ifdef HAVE_LIBPNG

#define SHADES 256

/* A coordinate of a colour in sRGB as a byte, from linear light. */
static unsigned char
to_byte(double light)
{
	double value = light <= 0.0031308 ? 12.92 * light
					  : 1.055 * pow(light, 1 / 2.4) - 0.055;

	return (unsigned char)(255 * fmin(fmax(value, 0), 1) + 0.5);
}

/*
 * The colour for @t from 0 to 1: from dark blue by red to bright yellow. It
 * moves on a helix in the colour space Oklab (Björn Ottosson, "A perceptual
 * color space for image processing", 2020, in the public domain): lightness and
 * hue change at a constant rate, and the chroma stays. So equal steps look
 * equally large.
 */
static void
shade(double t, unsigned char rgb[3])
{
	double lightness = 0.25 + 0.7 * t, hue = (280 + 190 * t) * M_PI / 180;
	double a = 0.15 * cos(hue), b = 0.15 * sin(hue);
	double l = lightness + 0.3963377774 * a + 0.2158037573 * b;
	double m = lightness - 0.1055613458 * a - 0.0638541728 * b;
	double s = lightness - 0.0894841775 * a - 1.2914855480 * b;

	l = l * l * l;
	m = m * m * m;
	s = s * s * s;
	rgb[0] =
		to_byte(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s);
	rgb[1] = to_byte(-1.2684380046 * l + 2.6097574011 * m -
			 0.3413193965 * s);
	rgb[2] = to_byte(-0.0041960863 * l - 0.7034186147 * m +
			 1.7076147010 * s);
}

/* Colours the values from the least to the largest; a NaN is white. */
static void
colour(const double *values, size_t count, unsigned char *pixels)
{
	unsigned char shades[SHADES][3];
	double low = INFINITY, high = -INFINITY;

	for (int i = 0; i < SHADES; i++)
		shade(i / (SHADES - 1.0), shades[i]);
	for (size_t i = 0; i < count; i++) {
		low = fmin(low, values[i]);
		high = fmax(high, values[i]);
	}
	for (size_t i = 0; i < count; i++) {
		double t = high > low ? (values[i] - low) / (high - low) : 0;

		for (int k = 0; k < 3; k++)
			pixels[3 * i + (size_t)k] =
				isfinite(t)
					? shades[(int)(t * (SHADES - 1) + .5)]
						[k]
					: 255;
	}
}

bool
shades_check(struct app_why *why)
{
	(void)why;
	return true;
}

bool
shades_write(const char *path, const double *values, long rows, long columns,
	     struct app_why *why)
{
	size_t count = (size_t)rows * (size_t)columns;
	unsigned char *pixels = malloc(3 * count);
	bool written;

	if (!pixels)
		return app_because(why, "out of memory");
	colour(values, count, pixels);
	written = picture_write(path, pixels, (uint32_t)columns, (uint32_t)rows,
				why);
	free(pixels);
	return written;
}

#else

bool
shades_check(struct app_why *why)
{
	return app_because(why, "this program was built without libpng, which "
				"pictures need; install libpng-dev, configure "
				"and build it again");
}

bool
shades_write(const char *path, const double *values, long rows, long columns,
	     struct app_why *why)
{
	(void)path;
	(void)values;
	(void)rows;
	(void)columns;
	return shades_check(why);
}

#endif
