#include "apps/nbody/netcdf_calls.h"

#include <config.h>
#include <dlfcn.h>
#include <string.h>

#define CALL(name, member)                                                     \
	{                                                                      \
		name, offsetof(struct netcdf_calls, member)                    \
	}
static const struct {
	const char *name;
	size_t member;
} symbols[] = {
	CALL("nc_create", create),
	CALL("nc_open", open),
	CALL("nc_close", close),
	CALL("nc_def_dim", def_dim),
	CALL("nc_def_var", def_var),
	CALL("nc_put_att_text", put_att_text),
	CALL("nc_set_fill", set_fill),
	CALL("nc_enddef", enddef),
	CALL("nc_inq_varid", inq_varid),
	CALL("nc_inq_vartype", inq_vartype),
	CALL("nc_inq_varndims", inq_varndims),
	CALL("nc_inq_vardimid", inq_vardimid),
	CALL("nc_inq_dimlen", inq_dimlen),
	CALL("nc_inq_unlimdim", inq_unlimdim),
	CALL("nc_get_att_double", get_att_double),
	CALL("nc_inq_att", inq_att),
	CALL("nc_put_vara_text", put_text),
	CALL("nc_put_vara_double", put),
	CALL("nc_get_vara_double", get),
	CALL("nc_strerror", strerror),
};

const struct netcdf_calls *
netcdf_load(struct app_why *why)
{
	static struct netcdf_calls calls;
	static void *library;

	if (library)
		return &calls;
	library = dlopen(NETCDF_SONAME, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		app_because(why, "files of particles need netCDF: install "
				 "Debian's package libnetcdf19");
		return NULL;
	}
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		void *symbol = dlsym(library, symbols[i].name);

		if (!symbol) {
			app_because(why, "%s lacks %s", NETCDF_SONAME,
				    symbols[i].name);
			dlclose(library);
			library = NULL;
			return NULL;
		}
		memcpy((char *)&calls + symbols[i].member, &symbol,
		       sizeof(symbol));
	}
	return &calls;
}
