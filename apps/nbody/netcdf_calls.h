/*
 * netcdf_calls.h: netCDF's functions. The library is loaded when the first file
 * is opened, as the runtime does it for grids.
 */
#ifndef NBODY_NETCDF_CALLS_H
#define NBODY_NETCDF_CALLS_H

#include <netcdf.h>

#include "apps/app.h"

struct netcdf_calls {
	int (*create)(const char *, int, int *);
	int (*open)(const char *, int, int *);
	int (*close)(int);
	int (*def_dim)(int, const char *, size_t, int *);
	int (*def_var)(int, const char *, nc_type, int, const int *, int *);
	int (*put_att_text)(int, int, const char *, size_t, const char *);
	int (*set_fill)(int, int, int *);
	int (*enddef)(int);
	int (*inq_varid)(int, const char *, int *);
	int (*inq_vartype)(int, int, nc_type *);
	int (*inq_varndims)(int, int, int *);
	int (*inq_vardimid)(int, int, int *);
	int (*inq_dimlen)(int, int, size_t *);
	int (*inq_unlimdim)(int, int *);
	int (*get_att_double)(int, int, const char *, double *);
	int (*inq_att)(int, int, const char *, nc_type *, size_t *);
	int (*put_text)(int, int, const size_t *, const size_t *, const char *);
	int (*put)(int, int, const size_t *, const size_t *, const double *);
	int (*get)(int, int, const size_t *, const size_t *, double *);
	const char *(*strerror)(int);
};

/*
 * netcdf_load: the functions, or NULL with the reason in @why. One thread at a
 * time may call this, and use the library.
 */
const struct netcdf_calls *netcdf_load(struct app_why *why);

#endif
