/*
 * ofi_open.c: opens and closes an endpoint of libfabric.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>

#include "transport/ofi.h"

#define API_VERSION FI_VERSION(1, 17)
#define SHM_BYTES (20u << 20) /* what shm takes in /dev/shm for an endpoint */

/*
 * What we know of providers, best first: their names for people and for
 * libfabric, whether they listen on an IP address, and whether one can sleep
 * on their queue's descriptor. (net's descriptor is always readable; shm has
 * none: libfabric 1.17.)
 */
static const struct provider {
	const char *name, *full;
	bool ip, sleeps;
} providers[] = {
	{ "verbs", "verbs;ofi_rxm", true, true },
	{ "cxi", "cxi", false, true },
	{ "efa", "efa", false, false },
	{ "psm3", "psm3", false, false },
	{ "psm2", "psm2", false, false },
	{ "opx", "opx", false, false },
	{ "tcp", "tcp;ofi_rxm", true, true },
	{ "net", "net", true, false },
	{ "shm", "shm", false, false },
	{ "udp", "udp;ofi_rxd", true, false },
	{ "sockets", "sockets", true, false },
};

#define PROVIDERS (sizeof(providers) / sizeof(providers[0]))

static const struct provider *
find_provider(const char *name)
{
	for (size_t i = 0; i < PROVIDERS; i++)
		if (!strcmp(providers[i].name, name) ||
		    !strcmp(providers[i].full, name))
			return &providers[i];
	return NULL;
}

static struct fi_info *
make_hints(const struct ofi_library *library, const char *provider)
{
	struct fi_info *hints = library->dupinfo(NULL);

	if (!hints)
		return NULL;
	hints->caps = FI_MSG | FI_RMA | FI_READ | FI_REMOTE_READ;
	hints->mode = FI_CONTEXT | FI_CONTEXT2;
	hints->ep_attr->type = FI_EP_RDM;
	hints->tx_attr->msg_order = FI_ORDER_SAS;
	hints->rx_attr->msg_order = FI_ORDER_SAS;
	hints->domain_attr->threading = FI_THREAD_DOMAIN;
	hints->domain_attr->av_type = FI_AV_TABLE;
	hints->domain_attr->mr_mode =
		FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
	if (provider)
		hints->fabric_attr->prov_name = strdup(provider);
	return hints;
}

/* fi_getinfo is slow (0.1 s and more): once for an endpoint. */
static struct fi_info *
get_info(const struct ofi_library *library, const char *provider,
	 const char *address, uint16_t port)
{
	struct fi_info *hints = make_hints(library, provider), *info = NULL;
	char service[8];

	if (!hints)
		return NULL;
	snprintf(service, sizeof(service), "%u", port);
	if (library->getinfo(API_VERSION, address, port ? service : NULL,
			     address ? FI_SOURCE : 0, hints, &info))
		info = NULL;
	library->freeinfo(hints);
	return info;
}

/*
 * The best of a list, as a copy of its own. Unasked, only those that listen on
 * the address: others come with it, whatever it is.
 */
static struct fi_info *
choose(const struct ofi_library *library, const struct fi_info *list)
{
	for (size_t i = 0; i < PROVIDERS; i++)
		for (const struct fi_info *at = list; at; at = at->next)
			if (providers[i].ip &&
			    !strcmp(at->fabric_attr->prov_name,
				    providers[i].full))
				return library->dupinfo(at);
	return NULL;
}

static enum stn_err
find_info(struct ofi *ofi, struct stn_why *why)
{
	const struct stn_opening *opening = &ofi->opening;
	const struct ofi_library *library = &ofi->library;
	bool any = !strcmp(opening->provider, "auto");
	const struct provider *known = find_provider(opening->provider);
	const char *full = known ? known->full : opening->provider;
	const char *address = opening->address;
	struct fi_info *list;

	if (known && !known->ip)
		address = NULL;
	list = get_info(library, any ? NULL : full, address,
			address ? opening->port : 0);
	if (!list)
		return stn_because(why, STN_MISSING,
				   "libfabric has no provider \"%s\"%s%s that "
				   "serves here; see `sateen info`",
				   opening->provider,
				   address ? " on address " : "",
				   address ? address : "");
	ofi->info = any ? choose(library, list) : library->dupinfo(list);
	library->freeinfo(list);
	if (!ofi->info)
		return stn_because(why, STN_MISSING,
				   "libfabric has no provider that serves on "
				   "address %s; is it one of this host's? Or "
				   "name a provider by --provider",
				   opening->address);
	return STN_OK;
}

/*
 * The shm provider maps memory in /dev/shm, and dies of SIGBUS when there is
 * none left. So look before it leaps, for all the nodes of this host.
 */
static enum stn_err
check_shm(const struct ofi *ofi, struct stn_why *why)
{
	uint64_t needs = (uint64_t)SHM_BYTES * ofi->opening.topology->nodes;
	struct statvfs file_system;
	uint64_t free_bytes;

	if (strcmp(ofi->opening.provider, "shm") ||
	    statvfs("/dev/shm", &file_system))
		return STN_OK;
	free_bytes = (uint64_t)file_system.f_bavail * file_system.f_frsize;
	/* The others may have taken theirs already: ask for one's own only. */
	if (free_bytes >= SHM_BYTES &&
	    (ofi->opening.rank || free_bytes >= needs))
		return STN_OK;
	return stn_because(why, STN_IO,
			   "/dev/shm has %llu MB free; provider shm needs %u "
			   "MB for each node; remove what is left there, or "
			   "use --provider tcp",
			   (unsigned long long)free_bytes >> 20,
			   SHM_BYTES >> 20);
}

static enum stn_err
failed(const struct ofi *ofi, const char *what, int err, struct stn_why *why)
{
	if (err == -FI_EADDRINUSE)
		return stn_because(why, STN_IN_USE,
				   "port %u of %s is in use; choose another "
				   "--port",
				   ofi->opening.port, ofi->opening.address);
	return stn_because(why, STN_IO, "libfabric's %s: %s failed: %s",
			   ofi->info->fabric_attr->prov_name, what,
			   ofi->library.strerror(-err));
}

static bool
can_sleep(const struct ofi *ofi)
{
	const struct provider *provider =
		find_provider(ofi->info->fabric_attr->prov_name);

	return provider && provider->sleeps;
}

static int
open_queue(struct ofi *ofi)
{
	struct fi_cq_attr attributes = {
		.format = FI_CQ_FORMAT_MSG,
		.wait_obj = can_sleep(ofi) ? FI_WAIT_FD : FI_WAIT_NONE,
	};
	int err = fi_cq_open(ofi->domain, &attributes, &ofi->completions, NULL);

	ofi->base.limits.fd = -1;
	if (!err && attributes.wait_obj == FI_WAIT_FD &&
	    fi_control(&ofi->completions->fid, FI_GETWAIT,
		       &ofi->base.limits.fd))
		ofi->base.limits.fd = -1;
	return err;
}

static enum stn_err
open_objects(struct ofi *ofi, struct stn_why *why)
{
	struct fi_av_attr table = {
		.type = FI_AV_TABLE,
		.count = ofi->opening.topology->nodes,
	};
	int err;

	err = ofi->library.fabric(ofi->info->fabric_attr, &ofi->fabric, NULL);
	if (err)
		return failed(ofi, "fi_fabric", err, why);
	err = fi_domain(ofi->fabric, ofi->info, &ofi->domain, NULL);
	if (err)
		return failed(ofi, "fi_domain", err, why);
	err = fi_av_open(ofi->domain, &table, &ofi->addresses, NULL);
	if (err)
		return failed(ofi, "fi_av_open", err, why);
	err = open_queue(ofi);
	if (err)
		return failed(ofi, "fi_cq_open", err, why);
	err = fi_endpoint(ofi->domain, ofi->info, &ofi->endpoint, NULL);
	if (!err)
		err = fi_ep_bind(ofi->endpoint, &ofi->addresses->fid, 0);
	if (!err)
		err = fi_ep_bind(ofi->endpoint, &ofi->completions->fid,
				 FI_TRANSMIT | FI_RECV);
	if (!err)
		err = fi_enable(ofi->endpoint);
	return err ? failed(ofi, "opening an endpoint", err, why) : STN_OK;
}

static enum stn_err
post_receives(struct ofi *ofi, struct stn_why *why)
{
	ofi->receives = calloc(OFI_RECEIVES, sizeof(ofi->receives[0]));
	if (!ofi->receives)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	for (size_t i = 0; i < OFI_RECEIVES; i++) {
		struct ofi_op *op = &ofi->receives[i].op;
		ssize_t err;

		op->completed = ofi_received;
		err = ofi_post_receive(ofi, op);
		if (err)
			return failed(ofi, "fi_recv", (int)err, why);
	}
	return STN_OK;
}

static void
close_fid(struct fid *fid)
{
	if (fid)
		fi_close(fid);
}

/* In the order that libfabric asks for; also of a half-open endpoint. */
static void
close_objects(struct ofi *ofi)
{
	close_fid(ofi->endpoint ? &ofi->endpoint->fid : NULL);
	close_fid(ofi->completions ? &ofi->completions->fid : NULL);
	close_fid(ofi->addresses ? &ofi->addresses->fid : NULL);
	close_fid(ofi->domain ? &ofi->domain->fid : NULL);
	close_fid(ofi->fabric ? &ofi->fabric->fid : NULL);
	if (ofi->info)
		ofi->library.freeinfo(ofi->info);
	free(ofi->receives);
	free(ofi);
}

static struct ofi *
create(const struct stn_opening *opening)
{
	uint32_t nodes = opening->topology->nodes;
	struct ofi *ofi;

	ofi = calloc(1, sizeof(*ofi) + nodes * sizeof(ofi->peers[0]));
	if (!ofi)
		return NULL;
	ofi->opening = *opening;
	ofi->base.ops = &stn_transport_ofi;
	ofi->base.limits.eager_bytes = OFI_EAGER_BYTES;
	ofi->interval_ns = OFI_POLL_LEAST_NS;
	for (uint32_t i = 0; i < nodes; i++) {
		ofi->peers[i].address = FI_ADDR_UNSPEC;
		ofi->peers[i].last = &ofi->peers[i].first;
	}
	return ofi;
}

static enum stn_err
ofi_open(const struct stn_opening *opening, struct stn_transport **transport_p,
	 struct stn_why *why)
{
	struct ofi *ofi = create(opening);
	enum stn_err err;

	if (!ofi)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	err = ofi_library_load(&ofi->library, why);
	if (!err)
		err = check_shm(ofi, why);
	if (!err)
		err = find_info(ofi, why);
	if (!err)
		err = open_objects(ofi, why);
	if (!err)
		err = post_receives(ofi, why);
	if (err) {
		close_objects(ofi);
		return err;
	}
	*transport_p = &ofi->base;
	return STN_OK;
}

/*
 * Waits until what was sent has left. Unread messages must not be left either:
 * rxm crashes in closing when there are (libfabric 1.17).
 */
static void
ofi_close(struct stn_transport *transport, uint64_t patience_ns)
{
	struct ofi *ofi = ofi_of(transport);
	uint64_t end = stn_machine_now(transport) + patience_ns;

	while ((ofi->posted || ofi->backlogged || ofi->offers) &&
	       stn_machine_now(transport) < end)
		ofi_progress(transport);
	ofi->closing = true;
	while (ofi_progress(transport))
		continue;
	fi_close(&ofi->endpoint->fid);
	ofi->endpoint = NULL;
	ofi_cancel_rest(ofi);
	ofi_offers_cancel(ofi);
	close_objects(ofi);
}

static size_t
ofi_address(struct stn_transport *transport,
	    unsigned char address[STN_ADDRESS_BYTES])
{
	size_t bytes = STN_ADDRESS_BYTES;

	if (fi_getname(&ofi_of(transport)->endpoint->fid, address, &bytes))
		return 0;
	return bytes;
}

/* Addresses that are texts begin alike; shm would take any text at all. */
static bool
same_scheme(const struct ofi *ofi, const unsigned char *theirs)
{
	unsigned char mine[STN_ADDRESS_BYTES] = { 0 };
	size_t bytes = sizeof(mine) - 1;
	const char *end;

	if (ofi->info->addr_format != FI_ADDR_STR)
		return true;
	if (fi_getname(&ofi->endpoint->fid, mine, &bytes))
		return false;
	end = strstr((const char *)mine, "://");
	return end &&
	       !memcmp(mine, theirs, (size_t)(end - (const char *)mine) + 3);
}

static enum stn_err
ofi_connect(struct stn_transport *transport, uint32_t rank,
	    const unsigned char *address, size_t bytes, struct stn_why *why)
{
	struct ofi *ofi = ofi_of(transport);
	unsigned char whole[STN_ADDRESS_BYTES] = { 0 };
	fi_addr_t peer;

	if (!bytes || bytes >= sizeof(whole) ||
	    rank >= ofi->opening.topology->nodes)
		return stn_because(why, STN_MALFORMED,
				   "node %u's address is malformed", rank);
	memcpy(whole, address, bytes);
	if (!same_scheme(ofi, whole) ||
	    fi_av_insert(ofi->addresses, whole, 1, &peer, 0, NULL) != 1)
		return stn_because(why, STN_INVALID,
				   "node %u's address is none of provider "
				   "%s; use one provider on all nodes",
				   rank, ofi->info->fabric_attr->prov_name);
	ofi->peers[rank].address = peer;
	return STN_OK;
}

/* Only shm leaves anything: its region, named like the address. */
static void
ofi_sweep(const unsigned char *address, size_t bytes)
{
	static const char scheme[] = "fi_shm://";
	char name[STN_ADDRESS_BYTES + 1] = "";

	if (bytes <= strlen(scheme) || bytes > STN_ADDRESS_BYTES ||
	    memcmp(address, scheme, strlen(scheme)))
		return;
	memcpy(name, address, bytes);
	shm_unlink(name + strlen(scheme));
}

static void
ofi_list(FILE *out)
{
	struct ofi_library library;
	struct fi_info *list;
	struct stn_why why;

	if (ofi_library_load(&library, &why)) {
		fprintf(out, "    %s\n", why.text);
		return;
	}
	list = get_info(&library, NULL, NULL, 0);
	for (size_t i = 0; i < PROVIDERS; i++) {
		const struct fi_info *at = list;

		while (at &&
		       strcmp(at->fabric_attr->prov_name, providers[i].full))
			at = at->next;
		if (at)
			fprintf(out, "    provider %-8s %s\n",
				providers[i].name,
				providers[i].sleeps
					? "sleeps when idle"
					: "can't sleep: is polled when idle");
	}
	if (list)
		library.freeinfo(list);
}

const struct stn_transport_ops stn_transport_ofi = {
	.name = "ofi",
	.help = "libfabric: processes, on any of its providers",
	.open = ofi_open,
	.close = ofi_close,
	.address = ofi_address,
	.connect = ofi_connect,
	.send = ofi_send,
	.offer = ofi_offer,
	.pull = ofi_pull,
	.refuse = ofi_refuse,
	.peer_del = ofi_peer_del,
	.progress = ofi_progress,
	.arm = ofi_arm,
	.waits = ofi_waits,
	.now = stn_machine_now,
	.sweep = ofi_sweep,
	.list = ofi_list,
};
