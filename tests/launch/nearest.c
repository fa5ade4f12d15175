/*
 * nearest.c: which device each node of a host uses, on a fake host of two
 * sockets with two NUMA domains each, and two cores in each domain:
 *
 *	domain 0: cores 0, 1    1: 2, 3    2: 4, 5    3: 6, 7
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "tests/launch/fake_sys.h"
#include "tests/tap.h"
#include "launch/survey/nearest.h"

#define EDR "100 Gb/sec (4X EDR)"
#define NODES_MOST 8

static const char *root;
static struct stn_addresses addresses; /* of the host */
static struct stn_device_filter filter;

static void
make_numa_domains(void)
{
	sys_make("/sys/devices/system/node/online", "0-3");
	sys_make_numa_domain(0, "00000000,00000003", "10 12 32 32");
	sys_make_numa_domain(1, "00000000,0000000c", "12 10 32 32");
	sys_make_numa_domain(2, "00000000,00000030", "32 32 10 12");
	sys_make_numa_domain(3, "00000000,000000c0", "32 32 12 10");
}

/* The device of the last of these nodes. Each may use the cores of its mask. */
static struct stn_nearest
nearest(const unsigned long *masks, uint32_t count)
{
	static struct stn_device devices[STN_DEVICES_MOST];
	static struct stn_numa_domains domains;
	cpu_set_t cores[NODES_MOST];
	const struct stn_local_nodes nodes = { cores, count, count - 1 };
	size_t found = stn_devices_discover(root, devices, STN_DEVICES_MOST);

	for (uint32_t i = 0; i < count; i++) {
		CPU_ZERO(&cores[i]);
		for (size_t j = 0; j < 8 * sizeof(masks[i]); j++)
			if (masks[i] >> j & 1)
				CPU_SET(j, &cores[i]);
	}
	stn_numa_domains_discover(root, &domains);
	return stn_nearest_choose(devices, found, &domains, &filter, &nodes);
}

/* Do nodes with these masks use these devices? NULL: none. */
static bool
use(const unsigned long *masks, const char *const *names, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct stn_device *device = nearest(masks, i + 1).device;
		const char *name = device ? device->name : "none";
		const char *expected = names[i] ? names[i] : "none";

		if (strcmp(name, expected) != 0) {
			printf("# node %u: not %s but %s\n", i, expected, name);
			return false;
		}
	}
	return true;
}

#define USE(masks, names) use(masks, names, sizeof(masks) / sizeof(masks[0]))

static bool
uses(unsigned long mask, const char *name)
{
	return use(&mask, &name, 1);
}

static void
add_address(const char *interface, const char *text)
{
	struct stn_address *address = &addresses.at[addresses.count++];

	address->family = 4;
	address->prefix = 24;
	strcpy(address->interface, interface);
	if (inet_pton(AF_INET, text, address->bytes) != 1)
		tap_ok(false, "%s is an address", text);
}

/* Two devices: a is next to domain 0, c to domain 2. */
static void
test_two(void)
{
	static const unsigned long halves[] = { 0x0f, 0xf0, 0x0f, 0xf0 };
	static const char *const halved[] = { "a", "c", "a", "c" };
	static const unsigned long quarters[] = { 0x03, 0x0c, 0x30, 0xc0 };
	static const char *const quartered[] = { "a", "a", "c", "c" };
	static const unsigned long wholes[] = { 0xff, 0xff, 0xff, 0xff };
	static const char *const shared[] = { "a", "c", "a", "c" };
	unsigned long both = 0xff;

	sys_make_rdma("a", "InfiniBand", "4: ACTIVE", EDR, "0");
	sys_make_rdma("c", "InfiniBand", "4: ACTIVE", EDR, "2");
	tap_ok(USE(halves, halved),
	       "a node takes the device next to the domain it is bound to");
	tap_ok(nearest(&halves[1], 1).ties == 1 &&
		       nearest(&halves[1], 1).candidates == 2,
	       "which is the nearer of two");
	tap_ok(USE(quarters, quartered),
	       "without a device in its domain, the one of its socket");
	tap_ok(uses(0x38, "c") && uses(0x1c, "a"),
	       "with cores in two sockets, the socket with more cores decides");
	tap_ok(USE(wholes, shared) && nearest(&both, 1).ties == 2 &&
		       nearest(&both, 1).distance_known,
	       "nodes on all cores share out the devices");
}

static void
test_shared_out(void)
{
	static const unsigned long cores[] = { 0x01, 0x02, 0x10, 0x20,
					       0x04, 0x08, 0x40, 0x80 };
	static const char *const names[] = { "a", "b", "c", "c",
					     "a", "b", "c", "c" };

	sys_make_rdma("b", "InfiniBand", "4: ACTIVE", EDR, "0");
	tap_ok(USE(cores, names), "nodes on different cores share out devices "
				  "that are equally near");
	sys_set_port("b", "state", "1: DOWN");
}

static void
test_down(void)
{
	sys_set_port("a", "state", "1: DOWN");
	tap_ok(uses(0x0f, "c"), "a device that is down is not used");
	sys_set_port("c", "state", "2: INIT");
	tap_ok(uses(0x0f, NULL), "there may be no device to use");
	sys_set_port("a", "state", "4: ACTIVE");
	sys_set_port("c", "state", "4: ACTIVE");
}

static void
test_filter(void)
{
	filter.name = "c";
	tap_ok(uses(0x0f, "c"), "--device names a device");
	filter.name = "c:1";
	tap_ok(uses(0x0f, "c"), "or a device and its port");
	filter.name = "c:2";
	tap_ok(uses(0x0f, NULL),
	       "a port that is missing is not replaced by another");
	filter.name = "auto";
	sys_make("/sys/class/infiniband/a/device/net/ib0/x", "");
	sys_make("/sys/class/infiniband/c/device/net/ib1/x", "");
	sys_make("/sys/class/net/ib0/dev_port", "0");
	sys_make("/sys/class/net/ib1/dev_port", "0");
	filter.by_address = true;
	tap_ok(uses(0x0f, NULL),
	       "a fabric that connects by address needs an address");
	filter.by_address = false;
	add_address("ib1", "10.2.0.1");
	addresses.filtered = true;
	tap_ok(uses(0x0f, "c"),
	       "--interface selects the device of the interface");
	addresses.filtered = false;
	filter.by_address = true;
	tap_ok(uses(0x0f, "c"), "an address on its interface is enough");
	add_address("ib0", "10.1.0.1");
	tap_ok(uses(0x0f, "a") && uses(0xf0, "a"),
	       "all nodes take devices in the network of the first");
	filter.by_address = false;
	tap_ok(uses(0xf0, "c"),
	       "without connecting by address, networks do not matter");
}

static void
test_subnets(void)
{
	sys_set_port("a", "gids/0", "fe80:0000:0000:0000:0002:c903:0000:0001");
	sys_set_port("c", "gids/0", "fec0:0000:0000:0001:0002:c903:0000:0002");
	tap_ok(uses(0xf0, "a"), "all nodes take devices of one subnet");
	sys_set_port("c", "gids/0", "fe80:0000:0000:0000:0002:c903:0000:0002");
	tap_ok(uses(0xf0, "c"), "the subnet is the prefix of the GID");
}

static void
test_faster(void)
{
	sys_set_port("a", "rate", "200 Gb/sec (4X HDR)");
	tap_ok(uses(0xf0, "a"), "a faster device comes before a nearer one");
	sys_set_port("a", "rate", EDR);
}

static void
test_roce(void)
{
	filter.kind = STN_DEVICE_ROCE;
	sys_make_rdma("r0", "Ethernet", "4: ACTIVE", EDR, "0");
	sys_make_rdma("r1", "Ethernet", "4: ACTIVE", EDR, "0");
	sys_make_rdma("r2", "Ethernet", "4: ACTIVE", EDR, "2");
	sys_set_port("r1", "gid_attrs/ndevs/0", "eth1");
	sys_set_port("r2", "gid_attrs/ndevs/0", "eth2");
	add_address("eth1", "10.3.0.1");
	add_address("eth2", "10.4.0.1");
	tap_ok(uses(0x0f, "r1") && uses(0xf0, "r1"),
	       "a RoCE device is in the network of its interface's address");
	addresses.count--;
	add_address("eth2", "10.3.0.2");
	tap_ok(uses(0x0f, "r1") && uses(0xf0, "r2"),
	       "two devices of one network each serve the nodes next to them");
	filter.kind = STN_DEVICE_INFINIBAND;
}

/* As on machines with one domain, and in some virtual machines. */
static void
test_unknown(void)
{
	static const unsigned long masks[] = { 0x0f, 0xf0, 0xf0 };
	static const char *const names[] = { "a", "c", "a" };

	sys_make("/sys/class/infiniband/c/device/numa_node", "-1");
	tap_ok(uses(0xf0, "a"), "a device without known domain counts as far");
	sys_make("/sys/class/infiniband/a/device/numa_node", "-1");
	tap_ok(USE(masks, names) && !nearest(masks, 1).distance_known,
	       "if no domain is known, all devices are equal and shared out");
}

int
main(void)
{
	tap_begin();
	root = sys_begin();
	filter.addresses = &addresses;
	filter.kind = STN_DEVICE_INFINIBAND;
	make_numa_domains();
	test_two();
	test_shared_out();
	test_down();
	test_filter();
	test_subnets();
	test_faster();
	test_roce();
	test_unknown();
	sys_end();
	return tap_end();
}
