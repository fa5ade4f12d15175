/*
 * report.h: what the commands of `sateen bench` have measured, as a table for
 * people, as CSV and JSON for programs, and as a picture.
 *
 * JSON is one object: "sateen_bench": 1, the version of this format; "sateen",
 * the version of Sateen; "headline"; "notes", texts; "machine": {"kernel",
 * "processor", "processors"}; and "rows", objects whose members are named and
 * ordered as those of struct report_row. CSV has a line of these names first.
 */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <stdint.h>

#include "apps/app.h"

/*
 * One thing that was measured. Rows of the same benchmark, bytes and unit that
 * follow each other are a group: the first is ours, and what the table calls
 * their ratio is the first's median over theirs. Texts must outlive the report.
 */
struct report_row {
	const char *benchmark; /* "latency" */
	const char *transport; /* "ofi" */
	const char *provider;  /* "tcp" */
	const char *path;      /* who: "sateen", "libfabric" */
	uint64_t bytes;	       /* of a message; 0: there is no such size */
	double median, p99;    /* p99: what 99 % are not worse than */
	const char *unit;      /* "us", "GB/s" */
	size_t samples;
};

/* Where to write besides stdout; NULL: don't. */
struct report_files {
	const char *csv, *json, *plot; /* a plot is called *.svg or *.png */
};

/* The files as rows of a table of options (apps/options.h), and their help. */
/* clang-format off */
#define REPORT_OPTIONS(files)                                                  \
	{ 0, "csv", "FILE", .text = &(files).csv },                            \
	{ 0, "json", "FILE", .text = &(files).json },                          \
	{ 0, "plot", "FILE", .text = &(files).plot }
#define REPORT_HELP                                                            \
	"      --csv FILE         the rows also as comma-separated values\n"   \
	"      --json FILE        the rows also as JSON\n"                     \
	"      --plot FILE        a picture, FILE.svg or FILE.png, by gnuplot\n"
/* clang-format on */

struct report;

/*
 * report_open: before anything is measured, as files that can't be written, or
 * a missing gnuplot, show here. NULL, with the reason in @why, on failure.
 */
struct report *report_open(const struct report_files *files,
			   struct app_why *why);

/* report_headline: the line above the table, and the picture's title. */
void report_headline(struct report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* report_note: a line below the headline. */
void report_note(struct report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* report_add: one more row, which is copied. */
void report_add(struct report *report, const struct report_row *row);

/*
 * report_close: prints the table, writes the files, and frees the report. False
 * with the reason in @why if something could not be written.
 */
bool report_close(struct report *report, struct app_why *why);

#endif
