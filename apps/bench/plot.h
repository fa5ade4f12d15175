/*
 * plot.h: a report's rows as a picture, drawn by gnuplot: medians over sizes,
 * both logarithmic, a line for each path; or a bar for each row where there
 * are no sizes.
 */
#ifndef BENCH_PLOT_H
#define BENCH_PLOT_H

#include <stdio.h>

#include "apps/bench/rows.h"

/* plot_ready: can a picture of this @name be drawn? If not, @why says it. */
bool plot_ready(const char *name, struct app_why *why);

/* plot_draw: draws into @out, which is the file called @name. */
bool plot_draw(const struct report_rows *rows, const char *title,
	       const char *name, FILE *out, struct app_why *why);

#endif
