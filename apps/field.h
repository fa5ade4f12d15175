/*
 * field.h: options that the programs with grids share, and the points of a grid
 * as a picture, or in a file.
 */
#ifndef FIELD_H
#define FIELD_H

#include <sateen_parts.h>

#include "apps/app.h"

struct field_options {
	long block;
	const char *write, *png; /* names of files, or NULL */
	bool sequential;
};

/* The rows of a program's table of options. */
#define FIELD_OPTIONS(options)                                                 \
	{ 0, "block", "N", .number = &(options)->block, .most = 1024 },        \
		{ 0, "write", "FILE", .text = &(options)->write },             \
		{ 0, "png", "FILE", .text = &(options)->png },                 \
	{                                                                      \
		's', "seq", .flag = &(options)->sequential                     \
	}

/*
 * field_read_options: reads the command line as app_options does, by a table
 * that has FIELD_OPTIONS(@options), and checks that the files can be written,
 * and that the libraries are there that write them. Returns APP_GO_ON, or the
 * exit status.
 */
int field_read_options(int argc, char **argv, const char *help,
		       const struct app_option *table,
		       const struct field_options *options);

/*
 * field_keep: writes what the options want: the grid, as the variable u, and
 * plane @plane of it, of @rows x @columns doubles. Returns false after a
 * complaint. If the grid can't be written, the run ends, so the caller prints
 * its results before.
 */
bool field_keep(STN_FRAME, struct stn_parts *grid,
		const struct field_options *options, long plane, long rows,
		long columns);

/*
 * field_print_time: prints how long @sweeps sweeps of @points points took, and
 * how many points were swept in a second. @resumed of them were on disk when the
 * run was resumed, so the time is that of the others.
 */
void field_print_time(double seconds, double points, long sweeps, long resumed);

#endif
