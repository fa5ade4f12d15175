/*
 * report.h: the results of `sateen bench` as a table, as CSV, as JSON, and as a
 * picture.
 *
 * JSON is one object: "sateen_bench": 1, the version of this format; "sateen",
 * the version of Sateen; "headline"; "notes", texts; "machine": {"kernel",
 * "processor", "processors"}; and "rows", objects whose members are named and
 * ordered as in struct report_row. The first line of CSV has these names, too;
 * a text with a comma stands in quotes there (RFC 4180).
 */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <stdint.h>

#include "apps/app.h"

/*
 * One result. Consecutive rows with the same benchmark, bytes and unit are a
 * group. The first row of a group is Sateen's. The table's ratio is the first
 * row's median divided by this row's median. Texts must outlive the report.
 */
struct report_row {
	const char *benchmark; /* "latency" */
	const char *transport; /* "ofi" */
	const char *provider;  /* "tcp" */
	const char *path;      /* "sateen", "libfabric send" */
	uint64_t bytes;	       /* of a message; 0: the row has no size */
	double median, p99;    /* p99: 99 % of the samples are not worse */
	const char *unit;      /* "us", "GB/s" */
	size_t samples;
};

/* Names of the files to write; NULL: none. The table goes to stdout. */
struct report_files {
	const char *csv, *json, *plot; /* @plot must be *.svg or *.png */
};

/* Rows of a table of options (apps/app.h) for the files, and their help. */
/* clang-format off */
#define REPORT_OPTIONS(files)                                                  \
	{ 0, "csv", "FILE", .text = &(files).csv },                            \
	{ 0, "json", "FILE", .text = &(files).json },                          \
	{ 0, "plot", "FILE", .text = &(files).plot }
#define REPORT_HELP                                                            \
	"      --csv FILE         also write the rows as comma-separated values\n" \
	"      --json FILE        also write the rows as JSON\n"               \
	"      --plot FILE        draw FILE.svg or FILE.png with gnuplot\n"
/* clang-format on */

struct report;

/*
 * report_files_check: to be called when the options have been read: APP_GO_ON,
 * or APP_USAGE after a complaint, if the plot's name has a wrong suffix.
 */
int report_files_check(const struct report_files *files);

/*
 * report_open: opens the files and checks for gnuplot. To be called before
 * anything is measured. NULL with the reason in @why on failure.
 */
struct report *report_open(const struct report_files *files,
			   struct app_why *why);

/* report_headline: sets the line above the table, also the picture's title. */
void report_headline(struct report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* report_note: adds a line below the headline. */
void report_note(struct report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* report_add: adds a copy of the row; its texts are not copied. */
void report_add(struct report *report, const struct report_row *row);

/*
 * report_close: prints the table, writes the files, and frees the report. False
 * with the reason in @why if a file could not be written.
 */
bool report_close(struct report *report, struct app_why *why);

#endif
