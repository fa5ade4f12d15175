/*
 * rows.h: the rows of a report, for report.c and plot.c.
 */
#ifndef BENCH_ROWS_H
#define BENCH_ROWS_H

#include "bench/report.h"

struct report_rows {
	struct report_row *all;
	size_t count;
};

/* report_same_group: returns true if two consecutive rows are of one group. */
bool report_same_group(const struct report_row *a, const struct report_row *b);

#endif
