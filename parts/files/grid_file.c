#include "parts/files/grid_file.h"

#include <config.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netcdf.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "parts/files/classic.h"
#include "transport/library.h"

#define POINTS_BEGIN 1024 /* the header ends before, with any names */

/* The library's functions. */
static struct {
	int (*create)(const char *, int, int *);
	int (*open)(const char *, int, int *);
	int (*close)(int);
	int (*def_dim)(int, const char *, size_t, int *);
	int (*def_var)(int, const char *, nc_type, int, const int *, int *);
	int (*set_fill)(int, int, int *);
	int (*enddef)(int, size_t, size_t, size_t, size_t);
	int (*inq_varid)(int, const char *, int *);
	int (*inq_vartype)(int, int, nc_type *);
	int (*inq_varndims)(int, int, int *);
	int (*inq_vardimid)(int, int, int *);
	int (*inq_dimlen)(int, int, size_t *);
	int (*put_vara)(int, int, const size_t *, const size_t *, const void *);
	int (*get_vara)(int, int, const size_t *, const size_t *, void *);
	const char *(*strerror)(int);
} netcdf_calls;

#define NETCDF_SYMBOL(name, member)                                            \
	{                                                                      \
		name, offsetof(__typeof__(netcdf_calls), member)               \
	}
static const struct stn_library_symbol netcdf_symbols[] = {
	NETCDF_SYMBOL("nc_create", create),
	NETCDF_SYMBOL("nc_open", open),
	NETCDF_SYMBOL("nc_close", close),
	NETCDF_SYMBOL("nc_def_dim", def_dim),
	NETCDF_SYMBOL("nc_def_var", def_var),
	NETCDF_SYMBOL("nc_set_fill", set_fill),
	NETCDF_SYMBOL("nc__enddef", enddef),
	NETCDF_SYMBOL("nc_inq_varid", inq_varid),
	NETCDF_SYMBOL("nc_inq_vartype", inq_vartype),
	NETCDF_SYMBOL("nc_inq_varndims", inq_varndims),
	NETCDF_SYMBOL("nc_inq_vardimid", inq_vardimid),
	NETCDF_SYMBOL("nc_inq_dimlen", inq_dimlen),
	NETCDF_SYMBOL("nc_put_vara", put_vara),
	NETCDF_SYMBOL("nc_get_vara", get_vara),
	NETCDF_SYMBOL("nc_strerror", strerror),
};
static const struct stn_library netcdf_library = {
	.name = "netCDF",
	.soname = NETCDF_SONAME,
	.packages = "Debian's package libnetcdf19",
	.symbols = netcdf_symbols,
	.count = sizeof(netcdf_symbols) / sizeof(netcdf_symbols[0]),
};

/* Only one thread of a process may be in the library. */
static pthread_mutex_t netcdf_lock = PTHREAD_MUTEX_INITIALIZER;

/* Enters the library, and loads it first if need be. */
static enum stn_err
enter_library(struct stn_why *why)
{
	static bool loaded;
	enum stn_err err = STN_OK;

	pthread_mutex_lock(&netcdf_lock);
	if (!loaded)
		err = stn_library_load(&netcdf_library, &netcdf_calls, why);
	if (err)
		pthread_mutex_unlock(&netcdf_lock);
	else
		loaded = true;
	return err;
}

static void
leave_library(void)
{
	pthread_mutex_unlock(&netcdf_lock);
}

/* By enum stn_number. */
static const struct {
	nc_type type;
	uint32_t bytes;
	const char *name;
} netcdf_types[] = {
	[STN_INT8] = { NC_BYTE, 1, "int8" },
	[STN_UINT8] = { NC_UBYTE, 1, "uint8" },
	[STN_INT16] = { NC_SHORT, 2, "int16" },
	[STN_UINT16] = { NC_USHORT, 2, "uint16" },
	[STN_INT32] = { NC_INT, 4, "int32" },
	[STN_UINT32] = { NC_UINT, 4, "uint32" },
	[STN_INT64] = { NC_INT64, 8, "int64" },
	[STN_UINT64] = { NC_UINT64, 8, "uint64" },
	[STN_FLOAT] = { NC_FLOAT, 4, "float" },
	[STN_DOUBLE] = { NC_DOUBLE, 8, "double" },
};

static const char *
name_of_type(nc_type type)
{
	for (uint32_t i = STN_INT8; i <= STN_DOUBLE; i++)
		if (netcdf_types[i].type == type)
			return netcdf_types[i].name;
	return "something else";
}

static enum stn_err
check_number(const struct stn_shape *shape, struct stn_why *why)
{
	if (shape->number > STN_NO_NUMBER && shape->number <= STN_DOUBLE &&
	    netcdf_types[shape->number].bytes == shape->element)
		return STN_OK;
	return stn_because(why, STN_INVALID,
			   "the points of this grid are no numbers that a file "
			   "can have");
}

static int
count_directions(const struct stn_shape *shape)
{
	return shape->size[0] > 1 ? 3 : 2;
}

/* Removes what belongs to the file, which is closed. */
static void
forget_unfinished(struct stn_grid_file *file)
{
	if (file->unfinished)
		unlink(file->unfinished);
	free(file->unfinished);
	file->unfinished = NULL;
}

/* An error of the library. Library entered. */
static enum stn_err
because_library(const struct stn_grid_file *file, int error,
		struct stn_why *why)
{
	return stn_because(why, STN_INVALID, "%s: %s", file->path,
			   netcdf_calls.strerror(error));
}

/* Closes the file after an error in the library. Library entered. */
static enum stn_err
give_up(struct stn_grid_file *file, int error, struct stn_why *why)
{
	enum stn_err err = because_library(file, error, why);

	netcdf_calls.close(file->file);
	leave_library();
	forget_unfinished(file);
	return err;
}

static int
choose_format(const struct stn_shape *shape)
{
	bool classic = netcdf_types[shape->number].type <= NC_DOUBLE;

	for (int d = 0; d < STN_DIRECTIONS; d++)
		classic &= shape->size[d] <= INT32_MAX;
	return classic ? NC_64BIT_OFFSET : NC_64BIT_DATA;
}

/* Describes the grid. Returns the library's error. */
static int
define(struct stn_grid_file *file, const char *variable,
       const struct stn_shape *shape)
{
	static const char *const names[STN_DIRECTIONS] = { "z", "y", "x" };
	int first = STN_DIRECTIONS - file->directions, before;
	int dims[STN_DIRECTIONS], error = 0;

	for (int d = first; d < STN_DIRECTIONS && !error; d++)
		error = netcdf_calls.def_dim(file->file, names[d],
					     shape->size[d], &dims[d]);
	if (!error)
		error = netcdf_calls.def_var(
			file->file, variable, netcdf_types[shape->number].type,
			file->directions, dims + first, &file->variable);
	if (!error)
		error = netcdf_calls.set_fill(file->file, NC_NOFILL, &before);
	if (!error)
		error = netcdf_calls.enddef(file->file, 0, POINTS_BEGIN, 0, 4);
	return error;
}

/* A file that is no regular one would be replaced by one. */
static enum stn_err
check_path(const char *path, struct stn_why *why)
{
	struct stat stat_;

	if (!stat(path, &stat_) && !S_ISREG(stat_.st_mode))
		return stn_because(why, STN_INVALID,
				   "%s: it is not a regular file", path);
	return STN_OK;
}

enum stn_err
stn_grid_file_create(struct stn_grid_file *file, const char *path,
		     const char *variable, const struct stn_shape *shape,
		     struct stn_why *why)
{
	enum stn_err err = check_number(shape, why);
	int error;

	*file = (struct stn_grid_file){ .path = path };
	file->directions = count_directions(shape);
	if (err || (err = check_path(path, why)) || (err = enter_library(why)))
		return err;
	if (asprintf(&file->unfinished, "%s.unfinished.%ld", path,
		     (long)getpid()) < 0) {
		file->unfinished = NULL;
		leave_library();
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	}
	error = netcdf_calls.create(file->unfinished, choose_format(shape),
				    &file->file);
	if (error) {
		err = because_library(file, error, why);
		leave_library();
		forget_unfinished(file);
		return err;
	}
	error = define(file, variable, shape);
	if (error)
		return give_up(file, error, why);
	leave_library();
	return STN_OK;
}

/* Checks the variable's size. Returns the library's error. */
static int
read_size(const struct stn_grid_file *file, size_t size[STN_DIRECTIONS])
{
	int dims[NC_MAX_VAR_DIMS], error;
	int first = STN_DIRECTIONS - file->directions;

	error = netcdf_calls.inq_vardimid(file->file, file->variable, dims);
	for (int d = first; d < STN_DIRECTIONS && !error; d++)
		error = netcdf_calls.inq_dimlen(file->file, dims[d - first],
						&size[d]);
	return error;
}

/* Fails if the variable differs from the grid. Library entered. */
static enum stn_err
compare_variable(struct stn_grid_file *file, const char *variable,
		 const struct stn_shape *shape, struct stn_why *why)
{
	nc_type type = netcdf_types[shape->number].type, found;
	size_t size[STN_DIRECTIONS] = { 1, 1, 1 };
	int directions, error;

	error = netcdf_calls.inq_vartype(file->file, file->variable, &found);
	if (!error)
		error = netcdf_calls.inq_varndims(file->file, file->variable,
						  &directions);
	if (!error && directions == file->directions)
		error = read_size(file, size);
	if (error)
		return because_library(file, error, why);
	if (found != type)
		return stn_because(why, STN_INVALID,
				   "%s: the points of %s are of type %s, but "
				   "the grid's of type %s",
				   file->path, variable, name_of_type(found),
				   name_of_type(type));
	if (directions != file->directions)
		return stn_because(why, STN_INVALID,
				   "%s: %s has %d dimensions, but the grid %d",
				   file->path, variable, directions,
				   file->directions);
	for (int d = 0; d < STN_DIRECTIONS; d++)
		if (size[d] != shape->size[d])
			return stn_because(
				why, STN_INVALID,
				"%s: %s has %zu x %zu x %zu points, but the "
				"grid %" PRIu64 " x %" PRIu64 " x %" PRIu64,
				file->path, variable, size[0], size[1], size[2],
				shape->size[0], shape->size[1], shape->size[2]);
	return STN_OK;
}

enum stn_err
stn_grid_file_open(struct stn_grid_file *file, const char *path,
		   const char *variable, const struct stn_shape *shape,
		   struct stn_why *why)
{
	enum stn_err err = check_number(shape, why);
	int error;

	*file = (struct stn_grid_file){ .path = path };
	file->directions = count_directions(shape);
	if (err || (err = enter_library(why)))
		return err;
	error = netcdf_calls.open(path, NC_NOWRITE, &file->file);
	if (error) {
		err = because_library(file, error, why);
		leave_library();
		return err;
	}
	error = netcdf_calls.inq_varid(file->file, variable, &file->variable);
	if (error)
		err = stn_because(why, STN_INVALID, "%s: no variable %s", path,
				  variable);
	else
		err = compare_variable(file, variable, shape, why);
	if (!err)
		err = stn_classic_check(path, file->variable, why);
	if (err)
		netcdf_calls.close(file->file);
	leave_library();
	return err;
}

/* Where a box lies in the variable. */
struct place {
	size_t at[STN_DIRECTIONS], size[STN_DIRECTIONS];
};

static struct place
place_of(const struct stn_grid_file *file, const struct stn_box *box)
{
	int first = STN_DIRECTIONS - file->directions;
	struct place place = { 0 };

	for (int d = first; d < STN_DIRECTIONS; d++) {
		place.at[d - first] = (size_t)box->low[d];
		place.size[d - first] = (size_t)(box->high[d] - box->low[d]);
	}
	return place;
}

/* Copies points of @box: from the file to @to, or if that is NULL, from @from. */
static enum stn_err
file_copy(struct stn_grid_file *file, const struct stn_box *box,
	  const void *from, void *to, struct stn_why *why)
{
	struct place place = place_of(file, box);
	enum stn_err err = enter_library(why);
	int error;

	if (err)
		return err;
	if (to)
		error = netcdf_calls.get_vara(file->file, file->variable,
					      place.at, place.size, to);
	else
		error = netcdf_calls.put_vara(file->file, file->variable,
					      place.at, place.size, from);
	if (error)
		return give_up(file, error, why);
	leave_library();
	return STN_OK;
}

enum stn_err
stn_grid_file_put(struct stn_grid_file *file, const struct stn_box *box,
		  const void *points, struct stn_why *why)
{
	return file_copy(file, box, points, NULL, why);
}

enum stn_err
stn_grid_file_get(struct stn_grid_file *file, const struct stn_box *box,
		  void *points, struct stn_why *why)
{
	return file_copy(file, box, NULL, points, why);
}

/*
 * Gives the file its name. Its points are on disk before: otherwise a crash of
 * the machine could leave an incomplete file in place of the old one.
 */
static bool
file_appear(const struct stn_grid_file *file)
{
	int fd = open(file->unfinished, O_RDONLY | O_CLOEXEC);
	bool synced = fd >= 0 && (!fsync(fd) || errno == EINVAL);
	int problem = errno;

	if (fd >= 0)
		close(fd);
	errno = problem;
	return synced && !rename(file->unfinished, file->path);
}

enum stn_err
stn_grid_file_close(struct stn_grid_file *file, struct stn_why *why)
{
	enum stn_err err = enter_library(why);
	int error;

	if (err)
		return err;
	error = netcdf_calls.close(file->file);
	if (error)
		err = because_library(file, error, why);
	leave_library();
	if (!err && file->unfinished && !file_appear(file))
		err = stn_because(why, STN_INVALID, "%s: %s", file->path,
				  strerror(errno));
	if (err)
		forget_unfinished(file);
	free(file->unfinished);
	return err;
}
