/*
 * classic.h: whether a file in one of netCDF's classic formats (CDF-1, CDF-2
 * and CDF-5) has all points of a variable. The library doesn't tell: it reads
 * numbers behind the end of a file as zeros.
 */
#ifndef STN_PARTS_FILES_CLASSIC_H
#define STN_PARTS_FILES_CLASSIC_H

#include "transport/error.h"

/*
 * stn_classic_check: STN_OK if all points of the variable with the number
 * @variable (from 0, in the order of the header) are inside of the file @path,
 * or if the file isn't in a classic format. STN_INVALID with @why if the header
 * or the points are cut off.
 */
STN_CHECKED enum stn_err stn_classic_check(const char *path, int variable,
					   struct stn_why *why);

#endif
