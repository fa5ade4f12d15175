/*
 * netcdf_header.h: checks the header of a file in one of netCDF's classic
 * formats (CDF-1, CDF-2 and CDF-5) before the library reads it. The library
 * takes numbers behind the end of a file for zeros, and goes through as many
 * bytes as a damaged header claims.
 */
#ifndef NBODY_NETCDF_HEADER_H
#define NBODY_NETCDF_HEADER_H

#include "apps/app.h"

/*
 * netcdf_header_check: true if the header is complete and all variables are
 * inside of the file. Otherwise false, with the reason, which begins with
 * "@path:", in @why.
 */
bool netcdf_header_check(const char *path, struct app_why *why);

#endif
