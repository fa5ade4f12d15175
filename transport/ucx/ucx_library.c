#include "transport/ucx/ucx_library.h"

#include <stdlib.h>

#include "transport/library.h"

#define SYMBOL(name)                                                           \
	{                                                                      \
		"ucp_" #name, offsetof(struct ucx_library, name)               \
	}

static const struct stn_library_symbol symbols[] = {
	SYMBOL(config_read),
	SYMBOL(config_modify),
	SYMBOL(config_release),
	SYMBOL(init_version),
	SYMBOL(get_version),
	SYMBOL(cleanup),
	SYMBOL(context_print_info),
	SYMBOL(worker_create),
	SYMBOL(worker_destroy),
	SYMBOL(worker_get_address),
	SYMBOL(worker_release_address),
	SYMBOL(worker_get_efd),
	SYMBOL(worker_arm),
	SYMBOL(worker_progress),
	SYMBOL(worker_flush_nbx),
	SYMBOL(worker_set_am_recv_handler),
	SYMBOL(ep_create),
	SYMBOL(ep_close_nbx),
	SYMBOL(am_send_nbx),
	SYMBOL(am_recv_data_nbx),
	SYMBOL(am_data_release),
	SYMBOL(request_check_status),
	SYMBOL(request_free),
	{ "ucs_status_string", offsetof(struct ucx_library, status_string) },
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
