#include "apps/field.h"

#include <stdio.h>
#include <stdlib.h>

#include "apps/shades.h"

int
field_read_options(int argc, char **argv, const char *help,
		   const struct app_option *table,
		   const struct field_options *options)
{
	int status = app_options(argc, argv, help, table);
	struct app_why why;

	if (status == APP_GO_ON && options->sequential &&
	    (options->write || options->png))
		return app_misuse("--seq writes no files");
	if (status == APP_GO_ON && (!app_check_replaced(options->write, &why) ||
				    !app_check_output(options->png, &why)))
		return app_complain(1, "%s", why.text);
	return status;
}

static bool
keep_png(STN_FRAME, struct stn_parts *grid, const char *path, long plane,
	 long rows, long columns)
{
	double *values =
		malloc((size_t)rows * (size_t)columns * sizeof(*values));
	struct app_why why;
	bool kept;

	if (!values) {
		app_complain(1, "out of memory");
		return false;
	}
	STN_GET(grid, plane, values);
	kept = shades_write(path, values, rows, columns, &why);
	if (!kept)
		app_complain(1, "%s", why.text);
	free(values);
	return kept;
}

bool
field_keep(STN_FRAME, struct stn_parts *grid,
	   const struct field_options *options, long plane, long rows,
	   long columns)
{
	if (options->write)
		STN_WRITE(grid, options->write, "u");
	return !options->png || keep_png(STN_PASS_FRAME, grid, options->png,
					 plane, rows, columns);
}

void
field_print_time(double seconds, double points, long sweeps, long resumed)
{
	printf("time: %.3f s", seconds);
	if (resumed)
		printf(" for %ld of %ld sweeps, since the run was resumed",
		       sweeps - resumed, sweeps);
	if (sweeps > resumed)
		printf(", %.0f Mpoints/s",
		       points * (double)(sweeps - resumed) / seconds * 1e-6);
	printf("\n");
}
