#include "transport/survey/fabrics.h"

#include <linux/capability.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "transport/ops.h"

/* What large payloads may take at once; less makes them fail under way. */
#define LOCKED_BYTES (64ull << 20)

/*
 * Best first. Over InfiniBand and RoCE that is our own backend: it copies
 * least, sleeps on its channel's descriptor, and hears of a death at once. Then
 * libfabric's verbs, which copies up to 16 KB, and needs an IP address. UCX
 * serves them, too, but has more devices than one at work, and addresses that
 * grow with them: only by name. EFA, Omni-Path and Slingshot have a provider of
 * libfabric each; psm3 is for devices of the first two kinds, where there is no
 * verbs. iWARP has no datagrams, so none of these; its TCP serves.
 */
const struct stn_fabric stn_fabrics_table[STN_FABRICS] = {
	{ "verbs", "verbs", "auto", STN_DEVICE_INFINIBAND, false },
	{ "verbs", "verbs", "auto", STN_DEVICE_ROCE, false },
	{ "libfabric's verbs", "ofi", "verbs", STN_DEVICE_INFINIBAND, true },
	{ "libfabric's verbs", "ofi", "verbs", STN_DEVICE_ROCE, true },
	{ "efa", "ofi", "efa", STN_DEVICE_EFA, false },
	{ "psm2", "ofi", "psm2", STN_DEVICE_OMNIPATH, false },
	{ "psm3", "ofi", "psm3", STN_DEVICE_ROCE, false },
	{ "cxi", "ofi", "cxi", STN_DEVICE_SLINGSHOT, false },
	{ "tcp", "ofi", "tcp", STN_DEVICE_NET, true },
	{ "UCX's tcp", "ucx", "tcp", STN_DEVICE_NET, true },
};

/* May this process lock whatever it likes? */
static bool
may_lock(void)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3,
						 0 };
	struct __user_cap_data_struct data[2];

	return !syscall(SYS_capget, &head, data) &&
	       data[0].effective >> CAP_IPC_LOCK & 1;
}

/* Cards read memory that the kernel has locked for them. */
static bool
can_lock(char text[STN_FABRIC_TEXT_BYTES])
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit) ||
	    limit.rlim_cur >= LOCKED_BYTES || may_lock())
		return true;
	snprintf(text, STN_FABRIC_TEXT_BYTES,
		 "only %llu KiB of memory may be locked; `ulimit -l unlimited`",
		 (unsigned long long)limit.rlim_cur >> 10);
	return false;
}

/* Why none that is wished for will do; false: there is none. */
static bool
explain(const struct stn_device *devices, size_t count,
	const struct stn_device_wish *wish, char text[STN_FABRIC_TEXT_BYTES])
{
	char name[STN_DEVICE_NAME_BYTES];

	for (size_t i = 0; i < count; i++) {
		const struct stn_device *device = &devices[i];

		if (!stn_device_is_wished(device, wish))
			continue;
		stn_device_print(device, name);
		if (!device->active)
			snprintf(text, STN_FABRIC_TEXT_BYTES,
				 "port %s is %s: a cable, or its subnet "
				 "manager?",
				 name, device->state);
		else if (device->closed)
			snprintf(text, STN_FABRIC_TEXT_BYTES,
				 "%s: /dev/infiniband/%s may not be opened",
				 name, device->file);
		else if (*device->net)
			snprintf(text, STN_FABRIC_TEXT_BYTES,
				 "%s: its interface %s has no IP address", name,
				 device->net);
		else
			snprintf(text, STN_FABRIC_TEXT_BYTES,
				 "%s: no network interface is on it, which "
				 "would have an IP address",
				 name);
		return true;
	}
	return false;
}

static bool
is_present(const struct stn_fabric *fabric, uint32_t nodes,
	   char text[STN_FABRIC_TEXT_BYTES])
{
	const struct stn_transport_ops *ops =
		stn_transport_find(fabric->transport);
	struct stn_why why = { "" };

	if (!ops)
		snprintf(text, STN_FABRIC_TEXT_BYTES,
			 "Sateen was built without %s", fabric->transport);
	else if (ops->present && ops->present(fabric->provider, nodes, &why))
		snprintf(text, STN_FABRIC_TEXT_BYTES, "%.150s", why.text);
	else
		return true;
	return false;
}

/* A host, and for which of its nodes it is looked at. */
struct host {
	struct stn_device devices[STN_DEVICES_MOST];
	size_t count;
	struct stn_memories memories;
	const struct stn_mates *mates;
	const struct stn_fabric_wish *wish;
	const struct stn_addresses *addresses;
};

/* In what it is better than others. */
static void
print_how(const struct stn_nearest *nearest, char how[STN_FABRIC_HOW_BYTES])
{
	how[0] = '\0';
	if (nearest->equal > 1)
		snprintf(how, STN_FABRIC_HOW_BYTES,
			 "one of %zu%s, which nodes share out", nearest->equal,
			 nearest->known ? " equally near" : "");
	else if (nearest->among > 1)
		snprintf(how, STN_FABRIC_HOW_BYTES, "the nearest of %zu",
			 nearest->among);
}

static struct stn_fabric_found
find(const struct host *host, const struct stn_fabric *fabric)
{
	struct stn_fabric_found found = { .state = STN_FABRIC_ABSENT };
	const struct stn_device_wish wish = { fabric->kind, fabric->by_address,
					      host->wish->device,
					      host->addresses };
	struct stn_nearest nearest =
		stn_nearest_choose(host->devices, host->count, &host->memories,
				   &wish, host->mates);

	if (!nearest.device) {
		if (explain(host->devices, host->count, &wish, found.text))
			found.state = STN_FABRIC_UNUSABLE;
		return found;
	}
	found.state = STN_FABRIC_UNUSABLE;
	if (!can_lock(found.text) ||
	    !is_present(fabric, host->wish->nodes, found.text))
		return found;
	found.state = STN_FABRIC_USABLE;
	found.mbits = nearest.device->mbits;
	stn_device_print(nearest.device, found.text);
	snprintf(found.net, sizeof(found.net), "%.15s", nearest.device->net);
	print_how(&nearest, found.how);
	return found;
}

/* The one that a run would take, if all hosts were on it. */
static const struct stn_address *
fastest(const struct stn_addresses *addresses)
{
	const struct stn_address *best = &addresses->at[0];

	for (size_t i = 1; i < addresses->count; i++)
		if (addresses->at[i].mbits > best->mbits)
			best = &addresses->at[i];
	return best;
}

/* Which interface it will be is settled by all hosts' addresses. */
static struct stn_fabric_found
find_net(const struct host *host, const struct stn_fabric *fabric)
{
	struct stn_fabric_found found = { .state = STN_FABRIC_UNUSABLE };
	const struct stn_addresses *addresses = host->addresses;

	if (!addresses->count) {
		snprintf(found.text, sizeof(found.text),
			 "no network interface is up and has an address");
		return found;
	}
	if (!is_present(fabric, host->wish->nodes, found.text))
		return found;
	found.state = STN_FABRIC_USABLE;
	found.mbits = fastest(addresses)->mbits;
	snprintf(found.text, sizeof(found.text), "%s",
		 fastest(addresses)->interface);
	return found;
}

static bool
is_auto(const char *text)
{
	return !strcmp(text, "auto");
}

/*
 * Who names a device means no network of the kernel's; who names an interface
 * or an address, and nothing else, means just that.
 */
static bool
is_wished(const struct host *host, const struct stn_fabric *fabric)
{
	const struct stn_fabric_wish *wish = host->wish;
	bool any = is_auto(wish->transport) && is_auto(wish->provider) &&
		   is_auto(wish->device);

	if (fabric->kind == STN_DEVICE_NET && !is_auto(wish->device))
		return false;
	if (fabric->kind != STN_DEVICE_NET && any && host->addresses->wished)
		return false;
	return (is_auto(wish->transport) ||
		!strcmp(wish->transport, fabric->transport)) &&
	       (is_auto(wish->provider) ||
		!strcmp(wish->provider, fabric->provider));
}

void
stn_fabrics_take(const char *root, const struct stn_mates *mates,
		 const struct stn_fabric_wish *wish,
		 const struct stn_addresses *addresses,
		 struct stn_fabrics *fabrics)
{
	struct host host = {
		.mates = mates,
		.wish = wish,
		.addresses = addresses,
	};

	host.count = stn_devices_take(root, host.devices, STN_DEVICES_MOST);
	stn_memories_take(root, &host.memories);
	memset(fabrics, 0, sizeof(*fabrics));
	fabrics->addresses = *addresses;
	for (size_t i = 0; i < STN_FABRICS; i++) {
		const struct stn_fabric *fabric = &stn_fabrics_table[i];

		if (is_wished(&host, fabric))
			fabrics->found[i] = fabric->kind == STN_DEVICE_NET
						    ? find_net(&host, fabric)
						    : find(&host, fabric);
	}
}

/* How many nodes can use it; *lacks_p is the first that can't. */
static size_t
count_usable(const struct stn_fabrics *all, size_t count, size_t fabric,
	     size_t *lacks_p, bool *any_p)
{
	size_t usable = 0;

	*any_p = false;
	for (size_t i = count; i-- > 0;) {
		enum stn_fabric_state state = all[i].found[fabric].state;

		usable += state == STN_FABRIC_USABLE;
		*any_p = *any_p || state != STN_FABRIC_ABSENT;
		if (state != STN_FABRIC_USABLE)
			*lacks_p = i;
	}
	return usable;
}

size_t
stn_fabrics_choose(const struct stn_fabrics *all, size_t count,
		   size_t *missed_p, size_t *node_p)
{
	*missed_p = STN_FABRICS;
	for (size_t i = 0; i < STN_FABRICS; i++) {
		size_t lacks = 0;
		bool any;

		if (count_usable(all, count, i, &lacks, &any) == count)
			return i;
		if (!any || *missed_p < STN_FABRICS)
			continue;
		*missed_p = i;
		*node_p = lacks;
	}
	return STN_FABRICS;
}
