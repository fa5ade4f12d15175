/*
 * tables.h: the table of a report's page about steals, and a line below tables.
 */
#ifndef APPS_SATEEN_REPORT_TABLES_H
#define APPS_SATEEN_REPORT_TABLES_H

#include "apps/sateen/report/run.h"

/* tables_steals: stolen calls by thief and victim; nothing if one node ran. */
void tables_steals(const struct run *run, FILE *out);

/* tables_cut: says that a table has only @shown of @all rows, if it is so. */
void tables_cut(uint32_t shown, uint32_t all, const char *what, FILE *out);

#endif
