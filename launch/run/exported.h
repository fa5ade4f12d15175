/*
 * exported.h: which variables of this environment the nodes of other hosts get:
 * the settings of Sateen, libfabric and UCX, and those that --export names.
 */
#ifndef STN_LAUNCH_RUN_EXPORTED_H
#define STN_LAUNCH_RUN_EXPORTED_H

#include "transport/error.h"

/*
 * stn_exported: returns an array of these variables, NAME=VALUE, which points
 * into the environment and ends with NULL. The caller frees the array. NULL: no
 * memory.
 * @names  the value of --export: names by commas, where NAME* stands for all
 *     variables whose names begin with NAME; or "none"
 */
char **stn_exported(const char *names);

/*
 * stn_exported_check: STN_INVALID if @names has an empty name, or a name without
 * * that is no variable of this environment.
 */
STN_CHECKED enum stn_err stn_exported_check(const char *names,
					    struct stn_why *why);

#endif
