#include "launch/survey/devices.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "transport/units.h"

#define SUBNET_LETTERS 19 /* of a GID's subnet prefix: fe80:0000:0000:0000 */

/* The list that is being filled. */
struct device_list {
	const char *root;
	struct stn_device *devices;
	size_t count, most;
};

static struct stn_device *
devices_add(struct device_list *list, enum stn_device_kind kind,
	    const char *name)
{
	struct stn_device *device;

	if (list->count == list->most)
		return NULL;
	device = &list->devices[list->count++];
	memset(device, 0, sizeof(*device));
	device->kind = kind;
	stn_sysfs_copy(device->name, name);
	return device;
}

/* Reads "4: ACTIVE". */
static void
read_port_state(struct stn_device *device, const char *text)
{
	const char *word = strchr(text, ':');

	device->active = strtoul(text, NULL, 10) == 4;
	stn_sysfs_copy(device->state,
		       word ? word + 1 + strspn(word + 1, " ") : "unknown");
	for (char *at = device->state; *at; at++)
		*at = (char)tolower((unsigned char)*at);
}

/* The kernel says -1 if it doesn't know, or if there is one domain only. */
static void
read_numa_node(const char *root, const char *class, struct stn_device *device)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/sys/class/%s/%s/device/numa_node", class,
		 device->name);
	device->numa_node = (int)stn_sysfs_number(root, path, -1);
}

/*
 * EFA and Omni-Path are known by their drivers, other kinds by the type of the
 * device and the link layer of the port.
 */
static enum stn_device_kind
kind_of(const char *root, const char *device, const char *link_layer)
{
	char path[PATH_MAX], driver[STN_DEVICE_BYTES],
		type[STN_SYSFS_LINE_BYTES];

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/device/driver",
		 device);
	stn_sysfs_link(root, path, driver);
	if (!strcmp(driver, "efa"))
		return STN_DEVICE_EFA;
	if (!strncmp(driver, "hfi1", 4))
		return STN_DEVICE_OMNIPATH;
	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/node_type",
		 device);
	if (stn_sysfs_line(root, path, type) && strtoul(type, NULL, 10) == 4)
		return STN_DEVICE_IWARP;
	return strcmp(link_layer, "Ethernet") ? STN_DEVICE_INFINIBAND
					      : STN_DEVICE_ROCE;
}

/* A port whose file or interface is searched for. */
struct port_search {
	const char *root;
	struct stn_device *device;
};

static void
find_verbs_file(void *arg, const char *name)
{
	const struct port_search *search = arg;
	char path[PATH_MAX], owner[STN_SYSFS_LINE_BYTES];

	snprintf(path, sizeof(path), "/sys/class/infiniband_verbs/%s/ibdev",
		 name);
	if (!stn_sysfs_line(search->root, path, owner) ||
	    strcmp(owner, search->device->name))
		return;
	snprintf(path, sizeof(path), "%s/dev/infiniband/%s", search->root,
		 name);
	stn_sysfs_copy(search->device->file, name);
	search->device->inaccessible = access(path, R_OK | W_OK);
}

/* Takes the interface @name of the device if it belongs to the port. */
static void
find_port_net(void *arg, const char *name)
{
	const struct port_search *search = arg;
	char path[PATH_MAX];
	long port;

	if (*search->device->net)
		return;
	snprintf(path, sizeof(path), "/sys/class/net/%s/dev_port", name);
	port = stn_sysfs_number(search->root, path, 0);
	if (port + 1 == (long)search->device->port)
		stn_sysfs_copy(search->device->net, name);
}

/*
 * Finds the port's interface and subnet. RoCE's GIDs are made from the
 * addresses of an interface, which the kernel names next to them.
 */
static void
read_port_net(struct port_search *search, const char *port)
{
	struct stn_device *device = search->device;
	char path[PATH_MAX + 64], text[STN_SYSFS_LINE_BYTES];

	snprintf(path, sizeof(path), "%s/gid_attrs/ndevs/0", port);
	if (stn_sysfs_line(search->root, path, text))
		stn_sysfs_copy(device->net, text);
	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/device/net",
		 device->name);
	stn_sysfs_each(search->root, path, find_port_net, search);
	snprintf(path, sizeof(path), "%s/gids/0", port);
	if (device->kind == STN_DEVICE_INFINIBAND &&
	    stn_sysfs_line(search->root, path, text) &&
	    strlen(text) > SUBNET_LETTERS) {
		text[SUBNET_LETTERS] = '\0';
		stn_sysfs_copy(device->subnet, text);
	}
}

/* A device whose ports are being added. */
struct rdma_device {
	struct device_list *list;
	const char *name;
};

static void
add_rdma_port(void *arg, const char *number)
{
	const struct rdma_device *rdma = arg;
	const char *root = rdma->list->root;
	char port[PATH_MAX], path[PATH_MAX + 64], text[STN_SYSFS_LINE_BYTES];
	struct port_search search = { .root = root };
	struct stn_device *device;

	snprintf(port, sizeof(port), "/sys/class/infiniband/%s/ports/%s",
		 rdma->name, number);
	snprintf(path, sizeof(path), "%s/link_layer", port);
	stn_sysfs_line(root, path, text);
	device = devices_add(rdma->list, kind_of(root, rdma->name, text),
			     rdma->name);
	if (!device)
		return;
	search.device = device;
	device->port = (unsigned)strtoul(number, NULL, 10);
	snprintf(path, sizeof(path), "%s/state", port);
	stn_sysfs_line(root, path, text);
	read_port_state(device, text);
	snprintf(path, sizeof(path), "%s/rate", port);
	if (stn_sysfs_line(root, path, text))
		device->mbits = (uint32_t)(stn_parse_real(text, NULL) * 1000);
	read_numa_node(root, "infiniband", device);
	read_port_net(&search, port);
	stn_sysfs_each(root, "/sys/class/infiniband_verbs", find_verbs_file,
		       &search);
}

static void
add_rdma_device(void *arg, const char *name)
{
	const struct device_list *list = arg;
	struct rdma_device rdma = { arg, name };
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports", name);
	stn_sysfs_each(list->root, path, add_rdma_port, &rdma);
}

/* An interface without carrier is "down". */
static void
add_net_interface(void *arg, const char *name)
{
	const struct device_list *list = arg;
	struct stn_device *device = devices_add(arg, STN_DEVICE_NET, name);
	char path[PATH_MAX], text[STN_SYSFS_LINE_BYTES];
	long mbits;

	if (!device)
		return;
	snprintf(path, sizeof(path), "/sys/class/net/%s/operstate", name);
	stn_sysfs_line(list->root, path, text);
	stn_sysfs_copy(device->state, *text ? text : "unknown");
	/* Loopback, tunnels and similar interfaces are "unknown". */
	device->active = !strcmp(text, "up") || !strcmp(text, "unknown");
	snprintf(path, sizeof(path), "/sys/class/net/%s/speed", name);
	mbits = stn_sysfs_number(list->root, path, 0);
	device->mbits = mbits > 0 && mbits < INT32_MAX ? (uint32_t)mbits : 0;
	read_numa_node(list->root, "net", device);
}

/* A Slingshot device has the state and speed of its interface. */
static void
add_slingshot(void *arg, const char *name)
{
	struct device_list *list = arg;
	struct stn_device *device =
		devices_add(list, STN_DEVICE_SLINGSHOT, name);
	struct stn_device net[1];
	struct device_list nets = { list->root, net, 0, 1 };
	char path[PATH_MAX];

	if (!device)
		return;
	snprintf(path, sizeof(path), "/sys/class/cxi/%s/device/net", name);
	stn_sysfs_each(list->root, path, add_net_interface, &nets);
	if (nets.count) {
		stn_sysfs_copy(device->net, net[0].name);
		device->mbits = net[0].mbits;
	}
	device->active = nets.count && net[0].active;
	stn_sysfs_copy(device->state, device->active ? "active" : "down");
	read_numa_node(list->root, "cxi", device);
}

size_t
stn_devices_discover(const char *root, struct stn_device *devices, size_t most)
{
	struct device_list list = { root, devices, 0, most };

	stn_sysfs_each(root, "/sys/class/infiniband", add_rdma_device, &list);
	stn_sysfs_each(root, "/sys/class/cxi", add_slingshot, &list);
	stn_sysfs_each(root, "/sys/class/net", add_net_interface, &list);
	return list.count;
}

const char *
stn_device_kind_name(enum stn_device_kind kind)
{
	static const char *const names[] = {
		[STN_DEVICE_INFINIBAND] = "InfiniBand",
		[STN_DEVICE_ROCE] = "RoCE",
		[STN_DEVICE_IWARP] = "iWARP",
		[STN_DEVICE_EFA] = "EFA",
		[STN_DEVICE_OMNIPATH] = "Omni-Path",
		[STN_DEVICE_SLINGSHOT] = "Slingshot",
		[STN_DEVICE_NET] = "network",
	};

	return names[kind];
}

void
stn_device_print(const struct stn_device *device,
		 char text[STN_DEVICE_NAME_BYTES])
{
	if (device->port)
		snprintf(text, STN_DEVICE_NAME_BYTES, "%s:%u", device->name,
			 device->port);
	else
		snprintf(text, STN_DEVICE_NAME_BYTES, "%s", device->name);
}

void
stn_print_rate(uint32_t mbits, char text[24])
{
	if (!mbits)
		text[0] = '\0';
	else if (mbits < 1000)
		snprintf(text, 24, "%u Mb/s", mbits);
	else
		snprintf(text, 24, "%.3g Gb/s", mbits / 1000.0);
}
