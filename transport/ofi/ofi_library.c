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
#define RXM_RECEIVES 1024 /* for all connections together */
#define RXM_SENDS 128	  /* for each connection, by default */
#define RXM_SENDS_LEAST 16
/* Up to this many nodes, the completion queues of all cards are long enough. */
#define FIT_ALWAYS 64
#define RXM_LEAST_BYTES 16384 /* the least that FI_OFI_RXM_EAGER_LIMIT sets */

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

static void
ofi_set_number(const char *name, uint32_t number)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", number);
	setenv(name, text, 0);
}

/*
 * libfabric reads its settings when it is first used. The libraries it depends
 * on read theirs when they are loaded:
 *
 *	IPATH_NO_BACKTRACE	keeps libinfinipath from handling SIGTERM by
 *				exit(), which may deadlock
 *	FI_AV_REMOVE_CLEANUP	lets connections to dead peers be closed
 *	FI_OFI_RXM_EAGER_LIMIT	the most bytes that tcp sends without asking
 *				the receiver first
 *	FI_OFI_RXM_MSG_RX_SIZE	the buffers for messages that arrive, all of the
 *				most bytes. 4096 of them, the default, take 50
 *				MB more, and 0.1 s when an endpoint opens
 *	FI_OFI_RXM_USE_SRX	makes all connections share one receive queue
 *				over verbs, too. Otherwise closing a connection
 *				crashes while messages arrive over it
 *				(libfabric 1.17)
 *
 * If libfabric is loaded already, it is too late for these settings.
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
	ofi_set_number("FI_OFI_RXM_MSG_RX_SIZE", RXM_RECEIVES);
	setenv("FI_OFI_RXM_USE_SRX", "1", 0);
}

/*
 * Over verbs, rxm makes one completion queue, for all receives (its rx_size)
 * and for a number of sends to each node (its tx_size). If a card's queues are
 * shorter, each connection gets fewer sends.
 */
static void
fit_queue(uint32_t nodes)
{
#ifdef HAVE_VERBS
	uint32_t entries = verbs_least_entries();
	uint32_t sends =
		entries > RXM_RECEIVES ? (entries - RXM_RECEIVES) / nodes : 0;

	if (entries && sends >= RXM_SENDS_LEAST && sends < RXM_SENDS)
		ofi_set_number("FI_OFI_RXM_MSG_TX_SIZE", sends);
#else
	(void)nodes;
#endif
}

void
ofi_library_expect(uint32_t nodes)
{
	if (nodes < 2)
		nodes = 2;
	ofi_set_number("FI_UNIVERSE_SIZE", nodes);
	if (nodes > FIT_ALWAYS)
		fit_queue(nodes);
}

/* Reads the settings that libfabric uses. */
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
