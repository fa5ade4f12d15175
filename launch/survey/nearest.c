#include "launch/survey/nearest.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define NODES "/sys/devices/system/node"

struct domain_list {
	const char *root;
	struct stn_numa_domains *domains;
};

/* Adds "node0"; other files of the directory are skipped. */
static void
add_numa_domain(void *arg, const char *name)
{
	const struct domain_list *domain_list = arg;
	struct stn_numa_domains *domains = domain_list->domains;
	struct stn_numa_domain *domain = &domains->at[domains->count];
	char path[PATH_MAX];

	if (strncmp(name, "node", 4) || !isdigit((unsigned char)name[4]) ||
	    domains->count == STN_NUMA_DOMAINS_MOST)
		return;
	domain->number = (unsigned)strtoul(name + 4, NULL, 10);
	snprintf(path, sizeof(path), NODES "/%s/cpumap", name);
	stn_sysfs_cores(domain_list->root, path, &domain->cores);
	domains->count++;
}

/* Reads "10 21": the distances to all domains, in order of number. */
static void
read_distances(const char *root, const struct stn_numa_domains *domains,
	       struct stn_numa_domain *domain)
{
	char path[PATH_MAX], text[STN_SYSFS_LINE_BYTES], *at = text;

	snprintf(path, sizeof(path), NODES "/node%u/distance", domain->number);
	stn_sysfs_line(root, path, text);
	for (size_t i = 0; i < domains->count; i++)
		domain->distances[i] = (unsigned)strtoul(at, &at, 10);
}

void
stn_numa_domains_discover(const char *root, struct stn_numa_domains *domains)
{
	struct domain_list domain_list = { root, domains };

	domains->count = 0;
	stn_sysfs_each(root, NODES, add_numa_domain, &domain_list);
	for (size_t i = 0; i < domains->count; i++)
		read_distances(root, domains, &domains->at[i]);
}

const struct stn_numa_domain *
stn_numa_domain_find(const struct stn_numa_domains *domains, int number)
{
	for (size_t i = 0; i < domains->count; i++)
		if ((int)domains->at[i].number == number)
			return &domains->at[i];
	return NULL;
}

/*
 * The sum of the kernel's distances from the device to each of the cores.
 * Comparable only among devices, for the same cores. An unknown distance counts
 * as the largest.
 */
static uint64_t
sum_distances(const struct stn_numa_domains *domains,
	      const struct stn_device *device, const cpu_set_t *cores)
{
	const struct stn_numa_domain *from =
		stn_numa_domain_find(domains, device->numa_node);
	uint64_t sum = 0;

	if (!from)
		return UINT64_MAX;
	for (size_t i = 0; i < domains->count; i++) {
		cpu_set_t both;

		CPU_AND(&both, &domains->at[i].cores, cores);
		sum += (uint64_t)from->distances[i] *
		       (unsigned)CPU_COUNT(&both);
	}
	return sum;
}

/* The first address of the device's interface, or NULL. */
static const struct stn_address *
device_address(const struct stn_device *device,
	       const struct stn_addresses *addresses)
{
	for (size_t i = 0; *device->net && i < addresses->count; i++)
		if (!strcmp(addresses->at[i].interface, device->net))
			return &addresses->at[i];
	return NULL;
}

static bool
is_named(const struct stn_device *device, const char *name)
{
	char whole[STN_DEVICE_NAME_BYTES];

	stn_device_print(device, whole);
	return !name || !strcmp(name, "auto") || !strcmp(name, device->name) ||
	       !strcmp(name, whole);
}

bool
stn_device_matches(const struct stn_device *device,
		   const struct stn_device_filter *filter)
{
	return device->kind == filter->kind && is_named(device, filter->name) &&
	       (!filter->addresses->filtered ||
		device_address(device, filter->addresses));
}

static bool
is_eligible(const struct stn_device *device,
	    const struct stn_device_filter *filter)
{
	return device->active && !device->inaccessible &&
	       stn_device_matches(device, filter) &&
	       (!filter->by_address ||
		device_address(device, filter->addresses));
}

/*
 * Writes the network that the port is in. InfiniBand has subnets of its own;
 * RoCE and fabrics that connect by address are in the IP network of their
 * interface. Other kinds have a single network. "": unknown.
 */
static void
nearest_print_network(const struct stn_device *device,
		      const struct stn_device_filter *filter,
		      char text[STN_ADDRESS_TEXT_BYTES])
{
	const struct stn_address *address =
		device_address(device, filter->addresses);

	*text = '\0';
	if (filter->by_address || device->kind == STN_DEVICE_ROCE) {
		if (address)
			stn_address_print_network(address, text);
	} else {
		strcpy(text, device->subnet);
	}
}

static bool
nearest_is_better(const struct stn_device *one, const char *network,
		  const struct stn_device *other, const char *others)
{
	return !*network == !*others ? one->mbits > other->mbits : *network;
}

/*
 * The first of the fastest devices. Devices with a known network come before
 * all others.
 */
static const struct stn_device *
find_fastest(const struct stn_device *devices, size_t count,
	     const struct stn_device_filter *filter,
	     char network[STN_ADDRESS_TEXT_BYTES])
{
	const struct stn_device *best = NULL;

	for (size_t i = 0; i < count; i++) {
		char of[STN_ADDRESS_TEXT_BYTES];

		if (!is_eligible(&devices[i], filter))
			continue;
		nearest_print_network(&devices[i], filter, of);
		if (best && !nearest_is_better(&devices[i], of, best, network))
			continue;
		best = &devices[i];
		strcpy(network, of);
	}
	return best;
}

static size_t
find_candidates(const struct stn_device *devices, size_t count,
		const struct stn_device_filter *filter,
		const struct stn_device *candidates[STN_DEVICES_MOST])
{
	char network[STN_ADDRESS_TEXT_BYTES] = "", of[STN_ADDRESS_TEXT_BYTES];
	const struct stn_device *fastest =
		find_fastest(devices, count, filter, network);
	size_t found = 0;

	for (size_t i = 0; i < count && found < STN_DEVICES_MOST; i++) {
		if (!is_eligible(&devices[i], filter) ||
		    devices[i].mbits != fastest->mbits)
			continue;
		nearest_print_network(&devices[i], filter, of);
		if (!strcmp(of, network))
			candidates[found++] = &devices[i];
	}
	return found;
}

/*
 * One node's choice, after the nodes before it have chosen. @users counts the
 * nodes of each device.
 */
static struct stn_nearest
choose_for_node(const struct stn_device *const *candidates, size_t count,
		const struct stn_numa_domains *domains, const cpu_set_t *cores,
		uint32_t users[STN_DEVICES_MOST])
{
	struct stn_nearest nearest = { .candidates = count };
	uint64_t least = UINT64_MAX;
	size_t best = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t far = sum_distances(domains, candidates[i], cores);

		nearest.ties = far == least  ? nearest.ties + 1
			       : far < least ? 1
					     : nearest.ties;
		if (far < least || (far == least && users[i] < users[best]))
			best = i;
		least = far < least ? far : least;
	}
	users[best]++;
	nearest.device = candidates[best];
	nearest.distance_known = least < UINT64_MAX;
	return nearest;
}

struct stn_nearest
stn_nearest_choose(const struct stn_device *devices, size_t count,
		   const struct stn_numa_domains *domains,
		   const struct stn_device_filter *filter,
		   const struct stn_local_nodes *nodes)
{
	const struct stn_device *candidates[STN_DEVICES_MOST];
	size_t found = find_candidates(devices, count, filter, candidates);
	uint32_t users[STN_DEVICES_MOST] = { 0 };
	struct stn_nearest nearest = { .device = NULL };

	for (uint32_t i = 0; found && i <= nodes->self; i++)
		nearest = choose_for_node(candidates, found, domains,
					  &nodes->cores[i], users);
	return nearest;
}
