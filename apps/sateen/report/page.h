/*
 * page.h: the report as one HTML page, which needs no other file.
 */
#ifndef APPS_SATEEN_REPORT_PAGE_H
#define APPS_SATEEN_REPORT_PAGE_H

#include <stdio.h>

#include "apps/sateen/report/profile.h"

/* page_write: writes the page. The caller looks for errors of @out. */
void page_write(const struct run *run, const struct profile *profile,
		FILE *out);

#endif
