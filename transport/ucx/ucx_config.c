/*
 * ucx_config.c: settings of UCX that differ from UCX's defaults. The user's
 * environment overrides them, except settings that were requested by an option.
 */
#include <dirent.h>
#include <ifaddrs.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "transport/ucx/ucx.h"
#include "transport/ucx/ucx_config.h"

struct setting {
	const char *name, *value;
};

static const struct setting settings[] = {
	/* Shorter addresses. */
	{ "ADDRESS_VERSION", "v2" },
	/* Messages keep their order only on one lane. */
	{ "MAX_EAGER_RAILS", "1" },
	/*
	 * If a connection breaks while TCP sends without copying, UCX ends the
	 * send twice, and aborts: uct_tcp_ep_sendv in UCX 1.13 to 1.19. RDMA
	 * reads and writes are not affected.
	 */
	{ "ZCOPY_THRESH", "inf" },
};

/* Settings of transports. UCX 1.13 reads them only from the environment. */
static const struct setting variables[] = {
	/*
	 * Makes shared memory give up when a peer dies. UCX then doesn't use
	 * CMA. With larger cells, copying in and out is slower than CMA for 64
	 * KB and 1 MB, but faster for 4 MB and for gathered payloads.
	 */
	{ "UCX_POSIX_ERROR_HANDLING", "y" },
	{ "UCX_POSIX_SEG_SIZE", "32832" },
	{ "UCX_POSIX_RX_BUFS_GROW", "128" },
	/*
	 * The most that one segment of a large payload carries. Both must be
	 * equal.
	 */
	{ "UCX_TCP_TX_SEG_SIZE", "256k" },
	{ "UCX_TCP_RX_SEG_SIZE", "256k" },
	/*
	 * On RoCE over IPv4, UCX before 1.19 takes each datagram for another
	 * node's, including those that establish connections.
	 */
	{ "UCX_UD_ETH_DGID_CHECK", "n" },
	/* Messages of UCX_INLINE_BYTES leave at once over RDMA devices, too. */
	{ "UCX_IB_TX_MIN_INLINE", "128" },
};

/*
 * Transports that can't give up when a peer dies would only lengthen addresses.
 */
#define ANY_TRANSPORT "^sysv,cma,self"

/*
 * If ucx_aborts, UCX also aborts when it gives up a peer by itself. So it is
 * told never to. transport/peers.c notices dead peers.
 */
static const char ud_timeout[] = "UCX_UD_TIMEOUT", never[] = "1000000s";

struct target {
	const struct ucx_library *library;
	ucp_config_t *config;
	struct stn_why *why;
};

static enum stn_err
ucx_set(const struct target *target, const char *name, const char *value)
{
	ucs_status_t status =
		target->library->config_modify(target->config, name, value);

	if (status == UCS_OK)
		return STN_OK;
	return stn_because(target->why, STN_INVALID,
			   "UCX won't have UCX_%s=%s: %s", name, value,
			   target->library->status_string(status));
}

/* Sets a value unless the user's environment sets it. */
static enum stn_err
propose(const struct target *target, const char *name, const char *value)
{
	char variable[64];

	snprintf(variable, sizeof(variable), "UCX_%s", name);
	return getenv(variable) ? STN_OK : ucx_set(target, name, value);
}

static bool
same_host(const struct sockaddr *a, const struct sockaddr *b)
{
	if (!a || a->sa_family != b->sa_family)
		return false;
	if (a->sa_family == AF_INET)
		return !memcmp(&((const struct sockaddr_in *)a)->sin_addr,
			       &((const struct sockaddr_in *)b)->sin_addr,
			       sizeof(struct in_addr));
	return a->sa_family == AF_INET6 &&
	       !memcmp(&((const struct sockaddr_in6 *)a)->sin6_addr,
		       &((const struct sockaddr_in6 *)b)->sin6_addr,
		       sizeof(struct in6_addr));
}

/* Finds the network interface that has this address. */
static bool
find_interface(const char *address, char *name, size_t size)
{
	struct addrinfo *wanted;
	struct ifaddrs *all, *at;

	if (getaddrinfo(address, NULL, NULL, &wanted))
		return false;
	if (getifaddrs(&all)) {
		freeaddrinfo(wanted);
		return false;
	}
	for (at = all; at; at = at->ifa_next)
		if (same_host(at->ifa_addr, wanted->ai_addr))
			break;
	if (at)
		snprintf(name, size, "%s", at->ifa_name);
	freeifaddrs(all);
	freeaddrinfo(wanted);
	return at;
}

static enum stn_err
set_interface(const struct target *target, const char *address)
{
	char name[64];

	if (!find_interface(address, name, sizeof(name)))
		return stn_because(target->why, STN_MISSING,
				   "UCX has no provider \"tcp\" that serves on "
				   "address %s; is it one of this host's?",
				   address);
	return propose(target, "NET_DEVICES", name);
}

static enum stn_err
set_port(const struct target *target, uint16_t port)
{
	char range[16];
	enum stn_err err;

	snprintf(range, sizeof(range), "%u-%u", port, port);
	/* UCX 1.13 has the first name, UCX 1.19 the second. */
	err = ucx_set(target, "PORT_RANGE", range);
	return err ? err : ucx_set(target, "TCP_PORT_RANGE", range);
}

/* UCX's names of RDMA devices always include a port. */
static enum stn_err
set_device(const struct target *target, const char *device)
{
	char path[PATH_MAX], name[64];

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s", device);
	snprintf(name, sizeof(name), "%s%s", device,
		 access(path, F_OK) ? "" : ":1");
	return ucx_set(target, "NET_DEVICES", name);
}

/*
 * An address restricts UCX only for provider tcp, where it can only mean TCP's
 * interface. Unless a device is named, UCX prefers devices near the process's
 * cores (UCX_IB_PREFER_NEAREST_DEVICE, since 1.2). UCX does not distribute
 * processes over devices that are equally near, but uses two of them for large
 * payloads (1.13).
 */
static enum stn_err
set_provider(const struct target *target, const struct stn_opening *opening)
{
	enum stn_err err;

	if (!strcmp(opening->provider, "auto"))
		err = propose(target, "TLS", ANY_TRANSPORT);
	else
		err = ucx_set(target, "TLS", opening->provider);
	if (err)
		return err;
	if (opening->device && strcmp(opening->device, "auto"))
		return set_device(target, opening->device);
	if (!strcmp(opening->provider, "tcp") && opening->address)
		return set_interface(target, opening->address);
	return STN_OK;
}

static bool
is_old(const struct ucx_library *library)
{
	unsigned major, minor, release;

	library->get_version(&major, &minor, &release);
	return major == 1 && minor < 14;
}

/* Does this machine have an RDMA device? */
static bool
have_device(void)
{
	DIR *devices = opendir("/sys/class/infiniband");
	const struct dirent *entry = NULL;

	if (!devices)
		return false;
	do
		entry = readdir(devices);
	while (entry && entry->d_name[0] == '.');
	closedir(devices);
	return entry;
}

bool
ucx_aborts(const struct ucx_library *library, const char *provider)
{
	static const char *const others[] = { "tcp", "posix", "sysv", "sm",
					      "shm", "mm",    "self", "cma" };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(provider, others[i]))
			return false;
	return is_old(library) && have_device();
}

enum stn_err
ucx_configure(const struct ucx_library *library,
	      const struct stn_opening *opening, ucp_config_t **config_p,
	      struct stn_why *why)
{
	struct target target = { library, NULL, why };
	enum stn_err err = STN_OK;
	ucs_status_t status;

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		setenv(variables[i].name, variables[i].value, 0);
	if (is_old(library))
		setenv(ud_timeout, never, 0);
	status = library->config_read(NULL, NULL, &target.config);
	if (status != UCS_OK)
		return stn_because(why, STN_INVALID,
				   "UCX can't make sense of its settings: %s; "
				   "look at the variables UCX_*",
				   library->status_string(status));
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		if (!err)
			err = propose(&target, settings[i].name,
				      settings[i].value);
	if (!err)
		err = set_provider(&target, opening);
	if (!err && opening->port)
		err = set_port(&target, opening->port);
	if (err)
		library->config_release(target.config);
	else
		*config_p = target.config;
	return err;
}
