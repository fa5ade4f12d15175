/*
 * rows.h: the rows of a report, for those who write them out.
 */
#ifndef BENCH_ROWS_H
#define BENCH_ROWS_H

#include "apps/bench/report.h"

struct report_rows {
	struct report_row *all;
	size_t count;
};

/* report_same_group: would these two belong together, one after the other? */
bool report_same_group(const struct report_row *a, const struct report_row *b);

#endif
