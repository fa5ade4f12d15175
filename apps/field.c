#include "apps/field.h"

#include <config.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "apps/shades.h"

/* Sateen loads netCDF only when it writes a grid: that is after the sweeps. */
static bool
check_netcdf(struct app_why *why)
{
#ifdef NETCDF_SONAME
	if (dlopen(NETCDF_SONAME, RTLD_NOW | RTLD_LOCAL))
		return true;
	return app_because(why, "files of grids need netCDF: %s", dlerror());
#else
	return app_because(why, "this Sateen was built without netCDF, which "
				"files of grids need; install libnetcdf-dev, "
				"configure and build it again");
#endif
}

static bool
check_files(const struct field_options *options, struct app_why *why)
{
	return app_check_replaced(options->write, why) &&
	       app_check_output(options->png, why) &&
	       (!options->write || check_netcdf(why)) &&
	       (!options->png || shades_check(why));
}

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
	if (status == APP_GO_ON && !check_files(options, &why))
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
	fflush(stdout); /* the results, as the run may end here */
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
