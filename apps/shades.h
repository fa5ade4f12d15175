/*
 * shades.h: pictures of numbers, as PNG files.
 */
#ifndef SHADES_H
#define SHADES_H

#include <stdbool.h>
#include "apps/app.h"

/*
 * shades_check: whether this program can write pictures. Returns false, with
 * the reason in @why, if it was built without libpng. A program that is to
 * write a picture calls this before it computes.
 */
bool shades_check(struct app_why *why);

/*
 * shades_write: writes @rows x @columns values, row by row, as a picture whose
 * colours go from dark blue for the least value by red to bright yellow for the
 * greatest; a NaN is white. Returns false, with the reason in @why, if that
 * fails, or if the program was built without libpng.
 */
bool shades_write(const char *path, const double *values, long rows,
		  long columns, struct app_why *why);

#endif
