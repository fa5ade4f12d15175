/*
 * cores.c: how many workers and nodes a host gets, by its processors, their
 * affinities, and quotas of made-up control groups.
 */
#ifdef HAVE_CONFIG_H
#include <config.h> /* not node/config.h */
#endif

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch/plan/placement.h"
#include "launch/plan/quota.h"
#include "launch/plan/worker_share.h"
#include "tests/tap.h"

#define NODES 4

static struct stn_config config;
static cpu_set_t cores[NODES];

/* The processors from first to last. */
static cpu_set_t
range(int first, int last)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (int i = first; i <= last; i++)
		CPU_SET(i, &set);
	return set;
}

static void
all_have(cpu_set_t set)
{
	for (int i = 0; i < NODES; i++)
		cores[i] = set;
}

/* Prints WORKERS@FIRST/ALL for each node. */
static const char *
shares(uint32_t nodes, uint32_t quota)
{
	static char text[100];
	char *at = text;

	for (uint32_t i = 0; i < nodes; i++) {
		struct stn_plan plan = { 1, nodes, i, cores };
		struct stn_worker_share share =
			stn_worker_share_make(&config, &plan, &cores[i], quota);

		at += sprintf(at, "%s%u@%u/%u", i ? " " : "", share.workers,
			      share.first, share.all);
	}
	return text;
}

static void
are(const char *got, const char *expected, const char *what)
{
	tap_ok(!strcmp(got, expected), "%s: %s", what, got);
}

static void
test_shares(void)
{
	all_have(range(0, 7));
	are(shares(1, 0), "8@0/8", "a single node has all cores of its host");
	are(shares(4, 0), "2@0/8 2@2/8 2@4/8 2@6/8",
	    "four nodes have equal parts");
	are(shares(3, 0), "3@0/8 3@3/8 2@6/8",
	    "the first nodes get the cores that are left over");
	all_have(range(0, 1));
	are(shares(3, 0), "1@0/3 1@1/3 1@2/3",
	    "each node has at least one worker");
	config.workers = 3;
	are(shares(2, 1), "3@0/6 3@3/6", "--workers overrides cores and quota");
	config.workers = 0;
}

static void
test_affinities(void)
{
	for (int i = 0; i < NODES; i++)
		cores[i] = range(2 * i, 2 * i + 1);
	are(shares(4, 0), "2@0/2 2@0/2 2@0/2 2@0/2",
	    "nodes bound to different cores have workers for their own");
	cores[1] = cores[3] = range(8, 13);
	are(shares(4, 0), "2@0/2 3@0/6 2@0/2 3@3/6",
	    "nodes bound to the same cores share them");
}

static void
test_quotas(void)
{
	all_have(range(0, 15));
	are(shares(1, 3), "3@0/3", "a quota limits a node");
	are(shares(2, 3), "2@0/3 1@2/3",
	    "a quota limits several nodes together");
	are(shares(2, 99), "8@0/16 8@8/16",
	    "a quota above the cores changes nothing");
	are(shares(4, 1), "1@0/4 1@1/4 1@2/4 1@3/4",
	    "a quota leaves each node at least one worker");
}

/* A directory with made-up files of the kernel. */
static char root[] = "/tmp/cores.XXXXXX";

static void
put(const char *path, const char *text)
{
	char name[500];
	FILE *out;

	snprintf(name, sizeof(name), "%s%s", root, path);
	for (char *at = name + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		if (mkdir(name, 0700) && errno != EEXIST)
			abort();
		*at = '/';
	}
	out = fopen(name, "w");
	if (!out || fputs(text, out) < 0 || fclose(out))
		abort();
}

static void
clear_root(void)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -rf %s", root);
	if (system(command))
		abort();
}

static void
begin_root(const char *groups, const char *mounts)
{
	clear_root();
	put("/proc/self/cgroup", groups);
	put("/proc/self/mountinfo", mounts);
}

#define V2 "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
#define V1 "31 23 0:27 / /cg/cpu,cpuacct rw shared:9 - cgroup none rw,cpu\n"

static void
test_version_2(void)
{
	begin_root("0::/jobs/7/step\n", "1 0 8:1 / / rw - ext4 /dev/a rw\n" V2);
	tap_ok(!stn_quota_processors(root), "without files there is no limit");
	put("/sys/fs/cgroup/jobs/7/cpu.max", "250000 100000\n");
	tap_ok(stn_quota_processors(root) == 2,
	       "a group around ours limits to whole processors");
	put("/sys/fs/cgroup/jobs/7/step/cpu.max", "max 100000\n");
	tap_ok(stn_quota_processors(root) == 2, "\"max\" is no limit");
	put("/sys/fs/cgroup/jobs/7/step/cpu.max", "50000 100000\n");
	tap_ok(stn_quota_processors(root) == 1,
	       "a quota below one processor counts as one");
	put("/sys/fs/cgroup/jobs/7/step/cpu.max", "3200000 100000\n");
	tap_ok(stn_quota_processors(root) == 2, "the strictest group counts");
}

static void
test_version_1(void)
{
	begin_root("4:memory:/m\n3:cpuacct,cpu:/docker/x\n1:cpuset:/\n0::/\n",
		   V1 "32 23 0:28 / /cg/cpuset rw - cgroup none rw,cpuset\n");
	put("/cg/cpu,cpuacct/docker/x/cpu.cfs_quota_us", "-1\n");
	put("/cg/cpu,cpuacct/docker/x/cpu.cfs_period_us", "100000\n");
	tap_ok(!stn_quota_processors(root), "version 1: -1 is no limit");
	put("/cg/cpu,cpuacct/docker/x/cpu.cfs_quota_us", "400000\n");
	tap_ok(stn_quota_processors(root) == 4, "version 1: a quota limits");
	put("/cg/cpuset/cpu.cfs_quota_us", "100000\n");
	put("/cg/cpuset/cpu.cfs_period_us", "100000\n");
	tap_ok(stn_quota_processors(root) == 4,
	       "the quota of another hierarchy does not count");
}

/* In a container the mount begins at the container's group. */
static void
test_container(void)
{
	begin_root("0::/docker/x/sub\n", "30 23 0:26 /docker/x /sys/fs/cgroup "
					 "ro - cgroup2 cgroup2 rw\n");
	put("/sys/fs/cgroup/sub/cpu.max", "300000 100000\n");
	tap_ok(stn_quota_processors(root) == 3,
	       "a part of the hierarchy may be mounted");
	begin_root("0::/elsewhere\n", "30 23 0:26 /docker/x /sys/fs/cgroup ro "
				      "- cgroup2 cgroup2 rw\n");
	put("/sys/fs/cgroup/cpu.max", "200000 100000\n");
	tap_ok(stn_quota_processors(root) == 2,
	       "for a process outside that part, its top counts");
}

static void
test_broken(void)
{
	static const char *const wrong[] = {
		"",	    "\n",  "0",		"0 0\n",
		"100000 0", "x y", "-5 100000", "9223372036854775807 1",
		"100000 100000x", "100000 100000 1", "100000 100000.5\n"
	};
	bool none = true;

	begin_root("0::/\n", V2);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		put("/sys/fs/cgroup/cpu.max", wrong[i]);
		none = none && !stn_quota_processors(root);
	}
	tap_ok(none, "malformed quotas limit nothing");
	begin_root("0:\n:\n::\n0::", " - \nx - cgroup2\n- cgroup2 a b\n");
	tap_ok(!stn_quota_processors(root),
	       "malformed files of the kernel limit nothing");
}

static void
test_nodes(void)
{
	struct stn_why why;

	tap_ok(stn_placement_nodes("host") == 1 &&
		       stn_placement_nodes("7") == 7,
	       "a host has one node, or the number in --per");
	tap_ok(!stn_placement_check("numa", &why) &&
		       !stn_placement_check("core", &why) &&
		       !stn_placement_check("1", &why) &&
		       stn_placement_check("0", &why) &&
		       stn_placement_check("socket", &why) &&
		       stn_placement_check("", &why),
	       "other placements are refused");
#ifdef HAVE_HWLOC
	setenv("HWLOC_SYNTHETIC", "pack:2 numa:2 core:3 pu:2", 1);
	tap_ok(stn_placement_nodes("numa") == 4,
	       "numa: a node for each NUMA domain");
	tap_ok(stn_placement_nodes("core") == 12, "core: a node for each core");
	unsetenv("HWLOC_SYNTHETIC");
#else
	tap_skip("nodes by numa and by core", "libhwloc-dev");
#endif
}

int
main(void)
{
	tap_begin();
	if (!mkdtemp(root))
		abort();
	test_shares();
	test_affinities();
	test_quotas();
	test_version_2();
	test_version_1();
	test_container();
	test_broken();
	test_nodes();
	clear_root();
	return tap_end();
}
