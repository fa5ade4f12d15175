#include "transport/ofi/ofi_provider.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include "transport/backends.h"

#define API_VERSION FI_VERSION(1, 17)
#define EAGER_BYTES 8192 /* of a provider without a better value */

/*
 * Over sockets, copying takes less time than offering, up to 128 KB. Above 64
 * KB the difference is small. ofi_library.c sets the same limit for rxm.
 */
#define SOCKET_BYTES (65536 + STN_HEADER_BYTES)

/*
 * The best provider first. In libfabric 1.17 two have no completion queue with a
 * usable descriptor: shm has none, and net's is always readable, because nothing
 * clears the signal of a completion (xnet_trywait). The descriptor of net's event
 * queue tells of the sockets alone. In libfabric 1.18, net took the place of tcp,
 * and its name.
 */
static const struct ofi_provider providers[] = {
	{ "verbs", "verbs;ofi_rxm", OFI_IP | OFI_SLEEPS | OFI_RXM,
	  EAGER_BYTES },
	{ "cxi", "cxi", OFI_SLEEPS, EAGER_BYTES },
	{ "efa", "efa", 0, EAGER_BYTES },
	{ "psm3", "psm3", 0, EAGER_BYTES },
	{ "psm2", "psm2", 0, EAGER_BYTES },
	{ "opx", "opx", 0, EAGER_BYTES },
	{ "tcp", "tcp;ofi_rxm", OFI_IP | OFI_SLEEPS | OFI_RXM | OFI_SOCKETS,
	  SOCKET_BYTES },
	{ "net", "net", OFI_IP | OFI_SOCKETS | OFI_EVENTS, SOCKET_BYTES },
	{ "net", "tcp", OFI_IP | OFI_SOCKETS, SOCKET_BYTES },
	{ "shm", "shm", OFI_FORGETS, EAGER_BYTES },
	{ "udp", "udp;ofi_rxd", OFI_IP, EAGER_BYTES },
	{ "sockets", "sockets", OFI_IP, EAGER_BYTES },
};

#define PROVIDERS (sizeof(providers) / sizeof(providers[0]))

/* Does a libfabric of this version have the provider by this full name? */
static bool
is_of_version(const struct ofi_provider *provider, uint32_t version)
{
	bool older = version < FI_VERSION(1, 18);

	return strcmp(provider->name, "net") != 0 ||
	       !strcmp(provider->full, "net") == older;
}

static struct ofi_provider
unknown_provider(const char *name)
{
	return (struct ofi_provider){ .name = name,
				      .full = name,
				      .traits = OFI_IP,
				      .eager_bytes = EAGER_BYTES };
}

struct ofi_provider
ofi_provider_find(const char *name, uint32_t version)
{
	for (size_t i = 0; i < PROVIDERS; i++)
		if ((!strcmp(providers[i].name, name) ||
		     !strcmp(providers[i].full, name)) &&
		    is_of_version(&providers[i], version))
			return providers[i];
	return unknown_provider(name);
}

struct ofi_provider
ofi_provider_full(const char *full)
{
	for (size_t i = 0; i < PROVIDERS; i++)
		if (!strcmp(providers[i].full, full))
			return providers[i];
	return unknown_provider(full);
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

/* fi_getinfo takes 0.1 s or more, so it is called once for an endpoint. */
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

static const struct fi_info *
find_provider(const struct fi_info *list, const char *full)
{
	while (list && strcmp(list->fabric_attr->prov_name, full))
		list = list->next;
	return list;
}

/*
 * The best provider of a list. If no provider was named, only those that listen
 * on the address count: fi_getinfo also lists others, whatever the address is.
 */
static const struct fi_info *
find_best(const struct fi_info *list)
{
	const struct fi_info *best = NULL;

	for (size_t i = 0; i < PROVIDERS && !best; i++)
		if (providers[i].traits & OFI_IP)
			best = find_provider(list, providers[i].full);
	return best;
}

/*
 * Not all providers name the card. But their domains are named like the card,
 * with a suffix: rdmap0s6-rdm. (verbs, efa, cxi, psm2 and psm3 of libfabric
 * 1.17.)
 */
static bool
is_on(const struct fi_info *info, const char *device)
{
	size_t length = strcspn(device, ":"); /* a port may follow */
	const char *name = info->domain_attr->name;

	if (info->nic && info->nic->device_attr && info->nic->device_attr->name)
		name = info->nic->device_attr->name;
	return name && !strncmp(name, device, length) &&
	       !isalnum((unsigned char)name[length]) && name[length] != '_';
}

const struct fi_info *
ofi_provider_pick(const struct fi_info *list, const char *full,
		  const char *device)
{
	const struct fi_info *first =
		full ? find_provider(list, full) : find_best(list);

	if (!first || !device || !strcmp(device, "auto"))
		return first;
	full = first->fabric_attr->prov_name;
	for (const struct fi_info *at = first; at; at = at->next)
		if (!strcmp(at->fabric_attr->prov_name, full) &&
		    is_on(at, device))
			return at;
	return first;
}

enum stn_err
ofi_provider_choose(const struct ofi_library *library,
		    const struct stn_opening *opening, struct fi_info **info_p,
		    struct stn_why *why)
{
	bool any = !strcmp(opening->provider, "auto");
	struct ofi_provider provider =
		ofi_provider_find(opening->provider, library->version());
	const char *address =
		provider.traits & OFI_IP ? opening->address : NULL;
	const struct fi_info *best;
	struct fi_info *list;

	list = get_info(library, any ? NULL : provider.full, address,
			address ? opening->port : 0);
	if (!list)
		return stn_because(why, STN_MISSING,
				   "libfabric has no provider \"%s\"%s%s that "
				   "serves here; see `sateen info`",
				   opening->provider,
				   address ? " on address " : "",
				   address ? address : "");
	best = ofi_provider_pick(list,
				 any ? NULL : list->fabric_attr->prov_name,
				 opening->device);
	*info_p = best ? library->dupinfo(best) : NULL;
	library->freeinfo(list);
	if (!best)
		return stn_because(why, STN_MISSING,
				   "libfabric has no provider that serves on "
				   "address %s; is it one of this host's? Or "
				   "name a provider by --provider",
				   address ? address : "(none)");
	if (!*info_p)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	return STN_OK;
}

bool
ofi_provider_has(const struct ofi_library *library, const char *name)
{
	struct ofi_provider provider =
		ofi_provider_find(name, library->version());
	struct fi_info *info;

	if (provider.traits & OFI_SOCKETS)
		return true;
	info = get_info(library, provider.full, NULL, 0);
	if (info)
		library->freeinfo(info);
	return info;
}

void
ofi_provider_list(const struct ofi_library *library,
		  const struct stn_transport_ops *ops, FILE *out)
{
	struct fi_info *list = get_info(library, NULL, NULL, 0);

	for (size_t i = 0; i < PROVIDERS; i++) {
		if (find_provider(list, providers[i].full))
			stn_transport_describe(ops, providers[i].name, NULL,
					       out);
	}
	if (list)
		library->freeinfo(list);
}
