/*
 * table.h: the table that `sateen top` shows.
 */
#ifndef APPS_SATEEN_TOP_TABLE_H
#define APPS_SATEEN_TOP_TABLE_H

#include <stdio.h>

#include "apps/sateen/top/read.h"

/*
 * top_print: prints the run as a table: lines about the run, one for each
 * cluster if there are several or it has a name, and one for each node.
 * @before  the run some time ago: shares and speeds are those since then; NULL:
 *     since the start of the run
 */
void top_print(const struct top_run *run, const struct top_run *before,
	       FILE *out);

#endif
