/*
 * chart.h: the charts of a report, as SVG inside the page.
 */
#ifndef APPS_SATEEN_REPORT_CHART_H
#define APPS_SATEEN_REPORT_CHART_H

#include <stdio.h>

#include "apps/sateen/report/profile.h"

/*
 * chart_use: how the workers' time was spent, over time: work below, waiting
 * above it. The rest of the height is idle time.
 * @name  the chart's title, which browsers show as a tooltip and read aloud
 */
void chart_use(const struct shares bins[BINS], unsigned height,
	       const char *name, FILE *out);

/* chart_bar: the same for all of the time, as a bar. */
void chart_bar(const struct shares *shares, FILE *out);

#endif
