#include "launch/plan/survival.h"

#include <signal.h>
#include <string.h>

#include "launch/settings.h"

/*
 * After a death the tcp of libfabric 1.17 sometimes never returns from
 * fi_cq_read, and its shm may wait for a lock of the dead process. UCX's shared
 * memory does so, too, and its tcp ends the process by a failed assertion.
 */
const char *
stn_survival_unsafe(const struct stn_config *config)
{
	if (strstr(config->transport, "ucx"))
		return "ucx";
	if (!strcmp(config->provider, "tcp") ||
	    !strcmp(config->provider, "tcp;ofi_rxm") ||
	    !strcmp(config->provider, "shm"))
		return config->provider;
	return NULL;
}

/* In virtual time nodes die only if a file of events says so. */
static bool
nodes_may_die(const struct stn_config *config)
{
	return strcmp(config->transport, "sim") != 0 ||
	       strcmp(stn_config_events(config), "none") != 0;
}

bool
stn_survival_wanted(const struct stn_config *config)
{
	if (!strcmp(config->survive, "auto"))
		return nodes_may_die(config) && !stn_survival_unsafe(config);
	return !strcmp(config->survive, "yes");
}

enum stn_err
stn_survival_check(const struct stn_config *config, struct stn_why *why)
{
	const char *name = strcmp(config->survive, "yes")
				   ? NULL
				   : stn_survival_unsafe(config);

	if (!name)
		return STN_OK;
	return stn_because(why, STN_INVALID,
			   "with %.60s, a node that dies can block the others; "
			   "use --transport ofi --provider net, or leave "
			   "--survive out",
			   name);
}

bool
stn_survival_prefer(struct stn_config *config, bool given)
{
	if (!strcmp(config->survive, "no") ||
	    strcmp(config->transport, "ofi") != 0 ||
	    (strcmp(config->provider, "auto") != 0 &&
	     (given || strcmp(config->provider, "tcp") != 0)))
		return false;
	strcpy(config->provider, "net");
	return true;
}

bool
stn_survival_is_crash(int signal)
{
	static const int crashes[] = { SIGSEGV, SIGBUS,	 SIGFPE, SIGILL,
				       SIGABRT, SIGTRAP, SIGSYS };

	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
		if (signal == crashes[i])
			return true;
	return false;
}
