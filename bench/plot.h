/*
 * plot.h: a report's rows as a picture, drawn by gnuplot. If all rows have a
 * size, it shows medians over sizes, both logarithmic, with a line for each
 * path. Otherwise it shows a bar for each row.
 */
#ifndef BENCH_PLOT_H
#define BENCH_PLOT_H

#include <stdio.h>

#include "bench/report.h"

struct report_rows {
	struct report_row *all;
	size_t count;
};

/* plot_named: whether @name has the suffix of a picture. */
bool plot_named(const char *name);

/*
 * plot_ready: checks that pictures can be drawn: that gnuplot is installed.
 * False with the reason in @why.
 */
bool plot_ready(struct app_why *why);

/*
 * plot_draw: draws into @out, the file called @name. Waits for gnuplot. False
 * with the reason in @why.
 */
bool plot_draw(const struct report_rows *rows, const char *title,
	       const char *name, FILE *out, struct app_why *why);

#endif
