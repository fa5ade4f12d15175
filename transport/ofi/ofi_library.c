#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "transport/ofi/ofi_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport/library.h"
#ifdef HAVE_VERBS
#include "transport/verbs/verbs_device.h"
#endif

#define SONAME "libfabric.so.1"
#define RXM_RECEIVES 4096 /* of all connections, and */
#define RXM_SENDS 128	  /*   sends of each, unless it is told */
#define RXM_SENDS_LEAST 16
/* For so many nodes all cards' queues are long enough. */
#define FIT_ALWAYS 64
#define RXM_LEAST_BYTES 16384 /* of FI_OFI_RXM_EAGER_LIMIT, whatever is set */

static const struct stn_library_symbol symbols[] = {
	{ "fi_getinfo", offsetof(struct ofi_library, getinfo) },
	{ "fi_freeinfo", offsetof(struct ofi_library, freeinfo) },
	{ "fi_dupinfo", offsetof(struct ofi_library, dupinfo) },
	{ "fi_fabric", offsetof(struct ofi_library, fabric) },
	{ "fi_strerror", offsetof(struct ofi_library, strerror) },
	{ "fi_version", offsetof(struct ofi_library, version) },
};

static const struct stn_library libfabric = {
	.name = "libfabric",
	.soname = SONAME,
	.packages = "libfabric1",
	.symbols = symbols,
	.count = sizeof(symbols) / sizeof(symbols[0]),
};

static const char cleanup[] = "FI_AV_REMOVE_CLEANUP";
static const char eager[] = "FI_OFI_RXM_EAGER_LIMIT";

/*
 * libfabric reads its settings when it is first used, and its libraries read
 * theirs when they are loaded:
 *
 *	IPATH_NO_BACKTRACE	keeps libinfinipath from handling SIGTERM, by
 *				calling exit(), which may deadlock
 *	FI_AV_REMOVE_CLEANUP	lets connections to dead peers be closed
 *	FI_OFI_RXM_EAGER_LIMIT	up to which tcp sends without asking first
 *	FI_OFI_RXM_USE_SRX	makes one queue of receives for all connections
 *				over verbs, too: else closing one crashes while
 *				messages come over it (libfabric 1.17)
 *
 * Where somebody else has loaded it before, it is too late for that.
 */
static void
set_environment(void)
{
	void *loaded = dlopen(SONAME, RTLD_NOW | RTLD_NOLOAD);

	if (loaded) {
		dlclose(loaded);
		return;
	}
	setenv("IPATH_NO_BACKTRACE", "1", 0);
	setenv(cleanup, "1", 0);
	setenv(eager, "66560", 0);
	setenv("FI_OFI_RXM_USE_SRX", "1", 0);
}

static void
set_number(const char *name, uint32_t number)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", number);
	setenv(name, text, 0);
}

/*
 * Over verbs, rxm makes a completion queue for as many sends to each node as a
 * connection has under way, and for all receives: rx_size, tx_size in its own
 * words. Where cards have shorter queues, connections have fewer sends.
 */
static void
fit_queue(uint32_t nodes)
{
#ifdef HAVE_VERBS
	uint32_t entries = verbs_least_entries();
	uint32_t sends =
		entries > RXM_RECEIVES ? (entries - RXM_RECEIVES) / nodes : 0;

	if (entries && sends >= RXM_SENDS_LEAST && sends < RXM_SENDS)
		set_number("FI_OFI_RXM_MSG_TX_SIZE", sends);
#else
	(void)nodes;
#endif
}

void
ofi_library_expect(uint32_t nodes)
{
	if (nodes < 2)
		nodes = 2;
	set_number("FI_UNIVERSE_SIZE", nodes);
	if (nodes > FIT_ALWAYS)
		fit_queue(nodes);
}

/* What libfabric has found there. */
static void
read_environment(struct ofi_library *library)
{
	const char *cleans = getenv(cleanup), *bytes = getenv(eager);

	library->severs = cleans && !strcmp(cleans, "1");
	library->rxm_eager_bytes = bytes ? strtoul(bytes, NULL, 0) : 0;
	if (library->rxm_eager_bytes < RXM_LEAST_BYTES)
		library->rxm_eager_bytes = RXM_LEAST_BYTES;
}

enum stn_err
ofi_library_load(struct ofi_library *library, struct stn_why *why)
{
	set_environment();
	read_environment(library);
	return stn_library_load(&libfabric, library, why);
}
