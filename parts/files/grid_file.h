/*
 * grid_file.h: files with the points of a grid, in a format that many programs
 * read (netCDF). The library is loaded when it is first needed; a lock of its
 * own lets one thread of the process into it at a time.
 *
 * A file has one variable with two or three dimensions, in one of netCDF's
 * classic formats: with 64-bit offsets if the numbers are signed and of at most
 * 32 bits, or float or double, because all programs read that; with 64-bit data
 * otherwise. The format netCDF-4 would need HDF5, which crashes when the disk
 * is full. The points begin at byte 1024, big-endian, for programs that read
 * raw numbers.
 */
#ifndef STN_PARTS_FILES_GRID_FILE_H
#define STN_PARTS_FILES_GRID_FILE_H

#include "parts/shape.h"

struct stn_grid_file {
	int file, variable;
	int directions; /* 2 or 3 */
	const char *path;
	char *unfinished; /* the name of a file that is being written */
};

/*
 * stn_grid_file_create: begins a file for a grid of @shape. The file appears at
 * @path, which stays the caller's, when it is finished.
 * stn_grid_file_open: opens the file @path, and checks that @variable has the
 * points of a grid of @shape, and that the file has them all.
 * stn_grid_file_put, stn_grid_file_get: write or read the points of @box.
 * stn_grid_file_close: finishes the file.
 *
 * All block, and none needs a lock. STN_INVALID or STN_MISSING with @why; then
 * the file is closed, and an unfinished one is removed.
 */
STN_CHECKED enum stn_err stn_grid_file_create(struct stn_grid_file *file,
					      const char *path,
					      const char *variable,
					      const struct stn_shape *shape,
					      struct stn_why *why);
STN_CHECKED enum stn_err stn_grid_file_open(struct stn_grid_file *file,
					    const char *path,
					    const char *variable,
					    const struct stn_shape *shape,
					    struct stn_why *why);
STN_CHECKED enum stn_err stn_grid_file_put(struct stn_grid_file *file,
					   const struct stn_box *box,
					   const void *points,
					   struct stn_why *why);
STN_CHECKED enum stn_err stn_grid_file_get(struct stn_grid_file *file,
					   const struct stn_box *box,
					   void *points, struct stn_why *why);
STN_CHECKED enum stn_err stn_grid_file_close(struct stn_grid_file *file,
					     struct stn_why *why);

#endif
