/*
 * field.h: options that the programs with grids share: the points of a grid as
 * a picture, or in a file.
 */
#ifndef FIELD_H
#define FIELD_H

#include <sateen_parts.h>

struct field_options {
	const char *write, *png; /* names of files, or NULL */
};

/* The rows of a program's table of options. */
#define FIELD_OPTIONS(options)                                                 \
	{ 0, "write", "FILE", .text = &(options)->write },                     \
	{                                                                      \
		0, "png", "FILE", .text = &(options)->png                      \
	}

/* field_check: the exit status if the options don't suit, or APP_GO_ON. */
int field_check(const struct field_options *options, bool sequential);

/*
 * field_keep: writes what the options want: the grid, as the variable u, and
 * plane @plane of it, of @rows x @columns doubles. Returns false after a
 * complaint.
 */
bool field_keep(STN_FRAME, struct stn_parts *grid,
		const struct field_options *options, long plane, long rows,
		long columns);

#endif
