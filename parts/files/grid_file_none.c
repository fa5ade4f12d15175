/*
 * grid_file_none.c: files of grids, in a Sateen without netCDF.
 */
#include "parts/files/grid_file.h"

static enum stn_err
is_missing(struct stn_why *why)
{
	return stn_because(why, STN_MISSING,
			   "this Sateen was built without netCDF, which files "
			   "of grids need; install libnetcdf-dev, configure "
			   "and build it again");
}

enum stn_err
stn_grid_file_create(struct stn_grid_file *file, const char *path,
		     const char *variable, const struct stn_shape *shape,
		     struct stn_why *why)
{
	(void)file;
	(void)path;
	(void)variable;
	(void)shape;
	return is_missing(why);
}

enum stn_err
stn_grid_file_open(struct stn_grid_file *file, const char *path,
		   const char *variable, const struct stn_shape *shape,
		   struct stn_why *why)
{
	(void)file;
	(void)path;
	(void)variable;
	(void)shape;
	return is_missing(why);
}

enum stn_err
stn_grid_file_put(struct stn_grid_file *file, const struct stn_box *box,
		  const void *points, struct stn_why *why)
{
	(void)file;
	(void)box;
	(void)points;
	return is_missing(why);
}

enum stn_err
stn_grid_file_get(struct stn_grid_file *file, const struct stn_box *box,
		  void *points, struct stn_why *why)
{
	(void)file;
	(void)box;
	(void)points;
	return is_missing(why);
}

enum stn_err
stn_grid_file_close(struct stn_grid_file *file, struct stn_why *why)
{
	(void)file;
	return is_missing(why);
}
