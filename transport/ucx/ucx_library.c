#include "transport/ucx/ucx_library.h"

#include <stdlib.h>

#include "transport/library.h"

static const struct stn_library_symbol symbols[] = {
	{ "ucs_status_string", offsetof(struct ucx_library, status_string) },
#define X(name) { "ucp_" #name, offsetof(struct ucx_library, name) },
	UCX_CALLS(X)
#undef X
};

static const struct stn_library ucx = {
	.name = "UCX",
	.soname = "libucp.so.0", /* loads libucs, too */
	.packages = "libucx0",
	.symbols = symbols,
	.count = sizeof(symbols) / sizeof(symbols[0]),
};

/* Settings that UCX reads from the environment when it is loaded. */
static const struct {
	const char *name, *value;
} environment[] = {
	{ "UCX_ERROR_SIGNALS", "" },  /* the runtime handles signals */
	{ "UCX_LOG_LEVEL", "fatal" }, /* the backend reports errors */
	{ "UCX_WARN_UNUSED_ENV_VARS", "n" },
	{ "UCX_VFS_ENABLE", "n" }, /* else it starts a thread */
};

enum stn_err
ucx_library_load(struct ucx_library *library, struct stn_why *why)
{
	for (size_t i = 0; i < sizeof(environment) / sizeof(environment[0]);
	     i++)
		setenv(environment[i].name, environment[i].value, 0);
	return stn_library_load(&ucx, library, why);
}
