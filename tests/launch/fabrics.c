/*
 * fabrics.c: the devices and fabrics of hosts, read from a fake /sys, and the
 * choice among them.
 */
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/launch/fake_sys.h"
#include "tests/tap.h"
#include "launch/survey/fabrics.h"

static const char *root;
static struct stn_device devices[STN_DEVICES_MOST];
static size_t count;

static const struct stn_device *
device(const char *name)
{
	count = stn_devices_discover(root, devices, STN_DEVICES_MOST);
	for (size_t i = 0; i < count; i++)
		if (!strcmp(devices[i].name, name))
			return &devices[i];
	return NULL;
}

static bool
is(const char *name, enum stn_device_kind kind, const char *state,
   uint32_t mbits)
{
	const struct stn_device *found = device(name);

	if (!found)
		return false;
	if (found->kind != kind || strcmp(found->state, state) ||
	    found->mbits != mbits)
		printf("# %s: %s, %s, %u Mb/s\n", name,
		       stn_device_kind_name(found->kind), found->state,
		       found->mbits);
	return found->kind == kind && !strcmp(found->state, state) &&
	       found->mbits == mbits;
}

static void
test_devices(void)
{
	tap_ok(!stn_devices_discover(root, devices, STN_DEVICES_MOST),
	       "a host may have no device at all");
	sys_make_rdma("mlx5_10", "InfiniBand", "4: ACTIVE",
		      "100 Gb/sec (4X EDR)", "1");
	sys_make_rdma("mlx5_2", "InfiniBand", "4: ACTIVE",
		      "100 Gb/sec (4X EDR)", "0");
	sys_make_rdma("mlx5_1", "InfiniBand", "1: DOWN", "10 Gb/sec (4X SDR)",
		      "0");
	sys_make_rdma("mlx5_0", "InfiniBand", "4: ACTIVE", "56 Gb/sec (4X FDR)",
		      "0");
	sys_make_rdma("rocep3s0", "Ethernet", "4: ACTIVE", "25 Gb/sec (1X EDR)",
		      "-1");
	sys_make("/sys/class/infiniband/rocep3s0/ports/1/gid_attrs/ndevs/0",
		 "enp3s0");
	sys_make_rdma("rdmap0s6", "", "4: ACTIVE", "100 Gb/sec (4X EDR)", "0");
	sys_set_driver("rdmap0s6", "efa");
	sys_make_rdma("hfi1_0", "InfiniBand", "2: INIT", "100 Gb/sec (4X EDR)",
		      "0");
	sys_set_driver("hfi1_0", "hfi1");
	sys_make_rdma("cxgb4_0", "Ethernet", "4: ACTIVE", "40 Gb/sec (4X QDR)",
		      "0");
	sys_make("/sys/class/infiniband/cxgb4_0/node_type", "4: RNIC");
	sys_make_numa_domain(0, "0000000f", "10 21");
	sys_make_numa_domain(1, "000000f0", "21 10");
	sys_make("/sys/class/cxi/cxi0/device/net/hsn0/x", "");
	sys_make("/sys/class/net/hsn0/operstate", "up");
	sys_make("/sys/class/net/hsn0/speed", "200000");
	sys_make("/sys/class/net/eth0/operstate", "down");
	sys_make("/sys/class/net/eth0/speed", "-1");

	tap_ok(is("mlx5_2", STN_DEVICE_INFINIBAND, "active", 100000) &&
		       is("mlx5_1", STN_DEVICE_INFINIBAND, "down", 10000),
	       "an InfiniBand port with its state and its rate");
	tap_ok(is("rocep3s0", STN_DEVICE_ROCE, "active", 25000) &&
		       !strcmp(device("rocep3s0")->net, "enp3s0"),
	       "a RoCE port and its interface");
	tap_ok(is("rdmap0s6", STN_DEVICE_EFA, "active", 100000) &&
		       is("hfi1_0", STN_DEVICE_OMNIPATH, "init", 100000) &&
		       is("cxgb4_0", STN_DEVICE_IWARP, "active", 40000),
	       "EFA and Omni-Path are known by their drivers, iWARP by its "
	       "type");
	tap_ok(is("cxi0", STN_DEVICE_SLINGSHOT, "active", 200000) &&
		       is("eth0", STN_DEVICE_NET, "down", 0),
	       "Slingshot has its interface's speed; an unknown speed is 0");
	tap_ok(device("mlx5_10")->numa_node == 1 &&
		       device("mlx5_2")->numa_node == 0 &&
		       device("rocep3s0")->numa_node == -1,
	       "the NUMA domain of each device, if it is known");
	tap_ok(device("mlx5_10") > device("mlx5_2"),
	       "mlx5_10 comes after mlx5_2");
}

/* The state of the fabric of this name and kind. */
static const struct stn_fabric_found *
find(const struct stn_fabrics *fabrics, const char *name,
     enum stn_device_kind kind)
{
	for (size_t i = 0; i < STN_FABRICS; i++)
		if (!strcmp(stn_fabrics_table[i].name, name) &&
		    stn_fabrics_table[i].kind == kind)
			return &fabrics->found[i];
	abort();
}

static const struct stn_fabric_found *
take(struct stn_fabrics *fabrics, const char *name, enum stn_device_kind kind)
{
	static const struct stn_addresses none = { .count = 0 };
	static const struct stn_fabric_filter any = { "auto", "auto", "auto",
						      1 };
	cpu_set_t cores;
	const struct stn_local_nodes alone = { &cores, 1, 0 };

	CPU_ZERO(&cores);
	CPU_SET(0, &cores);
	stn_fabrics_discover(root, &alone, &any, &none, fabrics);
	return find(fabrics, name, kind);
}

/* Lets this process lock at most so many bytes from now on. */
static bool
limit_locking(rlim_t bytes)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3,
						 0 };
	struct __user_cap_data_struct data[2];
	struct rlimit limit = { bytes, bytes };

	if (syscall(SYS_capget, &head, data))
		return false;
	data[0].effective &= ~(1u << CAP_IPC_LOCK);
	return !syscall(SYS_capset, &head, data) &&
	       !setrlimit(RLIMIT_MEMLOCK, &limit);
}

static bool
says(const struct stn_fabric_found *found, const char *text)
{
	if (found->state == STN_FABRIC_UNUSABLE && strstr(found->text, text))
		return true;
	printf("# state %d: %s\n", (int)found->state, found->text);
	return false;
}

static void
test_reasons(void)
{
	struct stn_fabrics fabrics;
	const struct stn_fabric_found *found;

	tap_ok(says(take(&fabrics, "psm2", STN_DEVICE_OMNIPATH),
		    "port hfi1_0:1 is init"),
	       "a port that isn't active is named, with its state");
	tap_ok(says(take(&fabrics, "tcp", STN_DEVICE_NET), "no network inter"),
	       "TCP needs an address");
	found = take(&fabrics, "verbs", STN_DEVICE_INFINIBAND);
	tap_ok(found->state == STN_FABRIC_USABLE
		       ? !strcmp(found->text, "mlx5_2:1")
		       : says(found, "without verbs") ||
				 says(found, "ibverbs") ||
				 says(found, "may be locked"),
	       "verbs uses the best port, if it is available: %s", found->text);
	tap_ok(found->state != STN_FABRIC_USABLE ||
		       !strcmp(found->reason, "the nearest of 2"),
	       "the best port is the nearest of the fastest: %s",
	       found->reason);
	tap_ok(says(take(&fabrics, "libfabric's verbs", STN_DEVICE_ROCE),
		    "rocep3s0:1: its interface enp3s0 has no IP address"),
	       "libfabric's verbs needs an IP address on the interface");
	tap_ok(says(take(&fabrics, "libfabric's verbs", STN_DEVICE_INFINIBAND),
		    "mlx5_0:1: no network interface is on it"),
	       "and a network interface");
	sys_make("/sys/class/infiniband/mlx5_2/ports/1/state", "1: DOWN");
	sys_make("/sys/class/infiniband/mlx5_10/ports/1/state", "1: DOWN");
	sys_make("/sys/class/infiniband/mlx5_0/ports/1/state", "2: INIT");
	tap_ok(says(take(&fabrics, "verbs", STN_DEVICE_INFINIBAND),
		    "port mlx5_0:1 is init"),
	       "if no port is active, the message has the first port's state");
	sys_make("/sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE");
	if (!limit_locking(65536)) {
		tap_skip("a limit of locked memory", "permission to set one");
		return;
	}
	tap_ok(says(take(&fabrics, "verbs", STN_DEVICE_INFINIBAND),
		    "64 KiB of memory may be locked; `ulimit -l unlimited`"),
	       "the message has a limit of locked memory that is too low");
}

/* Other transports than the one that the user names count as absent. */
static void
test_filter(void)
{
	static const struct stn_fabric_filter filter = { "verbs", "auto",
							 "mlx5_9", 1 };
	static const struct stn_addresses none = { .count = 0 };
	static struct stn_fabrics fabrics;
	cpu_set_t cores;
	const struct stn_local_nodes alone = { &cores, 1, 0 };
	size_t rejected, rejected_by;

	CPU_ZERO(&cores);
	stn_fabrics_discover(root, &alone, &filter, &none, &fabrics);
	tap_ok(stn_fabrics_choose(&fabrics, 1, &rejected, &rejected_by) ==
			       STN_FABRICS &&
		       rejected == STN_FABRICS,
	       "a device that is missing can't be used");
}

static bool
lists(const char *text)
{
	static char buffer[65536];
	FILE *out = fmemopen(buffer, sizeof(buffer), "w");

	if (!out)
		abort();
	stn_fabrics_list(root, out);
	fclose(out);
	return strstr(buffer, text);
}

static void
test_list(void)
{
	tap_ok(lists("  mlx5_10:1  InfiniBand down, 100 Gb/s, next to cores "
		     "4-7\n") &&
		       lists("  rocep3s0:1 RoCE       active, 25 Gb/s, "
			     "enp3s0\n"),
	       "the list says which cores a device is next to, if it is known");
}

static void
test_common(void)
{
	static struct stn_fabrics all[3];
	const size_t tcp = 8, verbs = 0, roce = 1;
	size_t rejected, rejected_by;

	for (size_t i = 0; i < 3; i++)
		all[i].found[tcp].state = STN_FABRIC_USABLE;
	tap_ok(stn_fabrics_choose(all, 3, &rejected, &rejected_by) == tcp &&
		       rejected == STN_FABRICS,
	       "a fabric that all hosts can use is chosen");
	all[0].found[verbs].state = STN_FABRIC_USABLE;
	all[1].found[verbs].state = STN_FABRIC_USABLE;
	tap_ok(stn_fabrics_choose(all, 3, &rejected, &rejected_by) == tcp &&
		       rejected == verbs && rejected_by == 2,
	       "a better fabric that one host lacks is rejected, naming the "
	       "host");
	for (size_t i = 0; i < 3; i++)
		all[i].found[roce].state = STN_FABRIC_USABLE;
	tap_ok(stn_fabrics_choose(all, 3, &rejected, &rejected_by) == roce,
	       "the best of several that all hosts can use is chosen");
	all[2].found[verbs].state = STN_FABRIC_USABLE;
	tap_ok(stn_fabrics_choose(all, 3, &rejected, &rejected_by) == verbs &&
		       rejected == STN_FABRICS,
	       "or the best");
}

int
main(void)
{
	tap_begin();
	root = sys_begin();
	test_devices();
	test_reasons();
	test_filter();
	test_list();
	test_common();
	sys_end();
	return tap_end();
}
