#include "launch/survey/fabrics.h"

#include <linux/capability.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "transport/backends.h"

/*
 * The locked memory that large payloads may need at once. With less, they would
 * fail during the run.
 */
#define LOCKED_BYTES (64ull << 20)

/*
 * In order of preference. For InfiniBand and RoCE the first is Sateen's own
 * backend: it copies least, sleeps on its channel's descriptor, and hears of a
 * node's death at once. libfabric's verbs copies up to 16 KB and needs an IP
 * address. UCX would serve them, too, but uses several devices at once, and its
 * addresses grow with them: it must be named. EFA, Omni-Path and Slingshot have
 * a provider of libfabric each. psm3 is for RoCE where verbs is missing. iWARP
 * has no datagrams, so TCP over its network interface is used.
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

/* May this process lock memory without limit? */
static bool
may_lock(void)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3,
						 0 };
	struct __user_cap_data_struct data[2];

	return !syscall(SYS_capget, &head, data) &&
	       data[0].effective >> CAP_IPC_LOCK & 1;
}

/* RDMA devices read memory that the kernel has locked for them. */
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

/* Explains why no matching device can be used. False: none matches. */
static bool
explain_unusable(const struct stn_device *devices, size_t count,
		 const struct stn_device_filter *filter,
		 char text[STN_FABRIC_TEXT_BYTES])
{
	char name[STN_DEVICE_NAME_BYTES];

	for (size_t i = 0; i < count; i++) {
		const struct stn_device *device = &devices[i];

		if (!stn_device_matches(device, filter))
			continue;
		stn_device_print(device, name);
		if (!device->active)
			snprintf(text, STN_FABRIC_TEXT_BYTES,
				 "port %s is %s; check its cable and its "
				 "subnet manager",
				 name, device->state);
		else if (device->inaccessible)
			snprintf(text, STN_FABRIC_TEXT_BYTES,
				 "%s: no permission to open /dev/infiniband/%s",
				 name, device->file);
		else if (*device->net)
			snprintf(text, STN_FABRIC_TEXT_BYTES,
				 "%s: its interface %s has no IP address", name,
				 device->net);
		else
			snprintf(text, STN_FABRIC_TEXT_BYTES,
				 "%s: no network interface is on it, so it "
				 "has no IP address",
				 name);
		return true;
	}
	return false;
}

static bool
is_available(const struct stn_fabric *fabric, uint32_t nodes,
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

/* This host, as seen by one of its nodes. */
struct host {
	struct stn_device devices[STN_DEVICES_MOST];
	size_t count;
	struct stn_numa_domains domains;
	const struct stn_local_nodes *local_nodes;
	const struct stn_fabric_filter *filter;
	const struct stn_addresses *addresses;
};

/* Explains why the nearest device was chosen. */
static void
print_reason(const struct stn_nearest *nearest,
	     char reason[STN_FABRIC_REASON_BYTES])
{
	reason[0] = '\0';
	if (nearest->ties > 1)
		snprintf(reason, STN_FABRIC_REASON_BYTES,
			 "one of %zu%s, dealt among nodes", nearest->ties,
			 nearest->distance_known ? " equally near" : "");
	else if (nearest->candidates > 1)
		snprintf(reason, STN_FABRIC_REASON_BYTES, "the nearest of %zu",
			 nearest->candidates);
}

static struct stn_fabric_found
check_fabric(const struct host *host, const struct stn_fabric *fabric)
{
	struct stn_fabric_found found = { .state = STN_FABRIC_ABSENT };
	const struct stn_device_filter filter = { fabric->kind,
						  fabric->by_address,
						  host->filter->device,
						  host->addresses };
	struct stn_nearest nearest =
		stn_nearest_choose(host->devices, host->count, &host->domains,
				   &filter, host->local_nodes);

	if (!nearest.device) {
		if (explain_unusable(host->devices, host->count, &filter,
				     found.text))
			found.state = STN_FABRIC_UNUSABLE;
		return found;
	}
	found.state = STN_FABRIC_UNUSABLE;
	if (!can_lock(found.text) ||
	    !is_available(fabric, host->filter->nodes, found.text))
		return found;
	found.state = STN_FABRIC_USABLE;
	found.mbits = nearest.device->mbits;
	stn_device_print(nearest.device, found.text);
	snprintf(found.net, sizeof(found.net), "%.15s", nearest.device->net);
	print_reason(&nearest, found.reason);
	return found;
}

/* The fastest address. A run uses it if all hosts are in its network. */
static const struct stn_address *
fastest_address(const struct stn_addresses *addresses)
{
	const struct stn_address *best = &addresses->at[0];

	for (size_t i = 1; i < addresses->count; i++)
		if (addresses->at[i].mbits > best->mbits)
			best = &addresses->at[i];
	return best;
}

/* The interface named here is a guess: the addresses of all hosts decide. */
static struct stn_fabric_found
check_net_fabric(const struct host *host, const struct stn_fabric *fabric)
{
	struct stn_fabric_found found = { .state = STN_FABRIC_UNUSABLE };
	const struct stn_addresses *addresses = host->addresses;

	if (!addresses->count) {
		snprintf(found.text, sizeof(found.text),
			 "no network interface is up and has an address");
		return found;
	}
	if (!is_available(fabric, host->filter->nodes, found.text))
		return found;
	found.state = STN_FABRIC_USABLE;
	found.mbits = fastest_address(addresses)->mbits;
	snprintf(found.text, sizeof(found.text), "%s",
		 fastest_address(addresses)->interface);
	return found;
}

static bool
is_auto(const char *text)
{
	return !strcmp(text, "auto");
}

/*
 * Does the user's choice allow this fabric? --device excludes the network
 * interfaces of the kernel. --interface or --address without other options
 * excludes everything else.
 */
static bool
fabric_matches(const struct host *host, const struct stn_fabric *fabric)
{
	const struct stn_fabric_filter *filter = host->filter;
	bool any = is_auto(filter->transport) && is_auto(filter->provider) &&
		   is_auto(filter->device);

	if (fabric->kind == STN_DEVICE_NET && !is_auto(filter->device))
		return false;
	if (fabric->kind != STN_DEVICE_NET && any && host->addresses->filtered)
		return false;
	return (is_auto(filter->transport) ||
		!strcmp(filter->transport, fabric->transport)) &&
	       (is_auto(filter->provider) ||
		!strcmp(filter->provider, fabric->provider));
}

void
stn_fabrics_discover(const char *root,
		     const struct stn_local_nodes *local_nodes,
		     const struct stn_fabric_filter *filter,
		     const struct stn_addresses *addresses,
		     struct stn_fabrics *fabrics)
{
	struct host host = {
		.local_nodes = local_nodes,
		.filter = filter,
		.addresses = addresses,
	};

	host.count = stn_devices_discover(root, host.devices, STN_DEVICES_MOST);
	stn_numa_domains_discover(root, &host.domains);
	memset(fabrics, 0, sizeof(*fabrics));
	fabrics->addresses = *addresses;
	for (size_t i = 0; i < STN_FABRICS; i++) {
		const struct stn_fabric *fabric = &stn_fabrics_table[i];

		if (fabric_matches(&host, fabric))
			fabrics->found[i] =
				fabric->kind == STN_DEVICE_NET
					? check_net_fabric(&host, fabric)
					: check_fabric(&host, fabric);
	}
}

/*
 * Counts the nodes that can use the fabric. *lacks_p: the first that can't.
 * *any_p: some hosts have it.
 */
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
		   size_t *rejected_p, size_t *rejected_by_p)
{
	*rejected_p = STN_FABRICS;
	for (size_t i = 0; i < STN_FABRICS; i++) {
		size_t lacks = 0;
		bool any;

		if (count_usable(all, count, i, &lacks, &any) == count)
			return i;
		if (!any || *rejected_p < STN_FABRICS)
			continue;
		*rejected_p = i;
		*rejected_by_p = lacks;
	}
	return STN_FABRICS;
}
