/*
 * place.c: how many workers and nodes a host has, by its processors, their
 * affinities, and the quotas of control groups, which are made up here.
 */
#ifdef HAVE_CONFIG_H
#include <config.h> /* steal/ has one of its own */
#endif

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "steal/join/place.h"
#include "steal/join/quota.h"
#include "steal/join/share.h"
#include "tests/tap.h"

#define MATES 4

static struct stn_config config;
static cpu_set_t cores[MATES];

/* Processors from first to last. */
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
	for (int i = 0; i < MATES; i++)
		cores[i] = set;
}

/* As "WORKERS@FIRST/ALL" of each node. */
static const char *
shares(uint32_t mates, uint32_t quota)
{
	static char text[100];
	char *at = text;

	for (uint32_t i = 0; i < mates; i++) {
		struct stn_plan plan = { 1, mates, i, cores };
		struct stn_share share =
			stn_share_make(&config, &plan, &cores[i], quota);

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
	are(shares(1, 0), "8@0/8", "a node has all of its host");
	are(shares(4, 0), "2@0/8 2@2/8 2@4/8 2@6/8", "four have equal parts");
	are(shares(3, 0), "3@0/8 3@3/8 2@6/8", "what is left over is dealt");
	all_have(range(0, 1));
	are(shares(3, 0), "1@0/3 1@1/3 1@2/3", "each has one at least");
	config.workers = 3;
	are(shares(2, 1), "3@0/6 3@3/6", "what is set is set");
	config.workers = 0;
}

static void
test_affinities(void)
{
	for (int i = 0; i < MATES; i++)
		cores[i] = range(2 * i, 2 * i + 1);
	are(shares(4, 0), "2@0/2 2@0/2 2@0/2 2@0/2",
	    "nodes bound to different cores have their own");
	cores[1] = cores[3] = range(8, 13);
	are(shares(4, 0), "2@0/2 3@0/6 2@0/2 3@3/6",
	    "those bound to the same ones share them");
}

static void
test_quotas(void)
{
	all_have(range(0, 15));
	are(shares(1, 3), "3@0/3", "a quota limits a node");
	are(shares(2, 3), "2@0/3 1@2/3", "and several together");
	are(shares(2, 99), "8@0/16 8@8/16", "unless it is larger");
	are(shares(4, 1), "1@0/4 1@1/4 1@2/4 1@3/4", "but to one at least");
}

/* A directory below which there are a kernel's files. */
static char root[] = "/tmp/place.XXXXXX";

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
	tap_ok(stn_quota_processors(root) == 1, "one is the least");
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
	tap_ok(stn_quota_processors(root) == 4, "a quota is");
	put("/cg/cpuset/cpu.cfs_quota_us", "100000\n");
	put("/cg/cpuset/cpu.cfs_period_us", "100000\n");
	tap_ok(stn_quota_processors(root) == 4,
	       "that of another hierarchy is none of ours");
}

/* Inside a container the mount begins at the container's own group. */
static void
test_container(void)
{
	begin_root("0::/docker/x/sub\n", "30 23 0:26 /docker/x /sys/fs/cgroup "
					 "ro - cgroup2 cgroup2 rw\n");
	put("/sys/fs/cgroup/sub/cpu.max", "300000 100000\n");
	tap_ok(stn_quota_processors(root) == 3,
	       "what is mounted may be a part of the hierarchy");
	begin_root("0::/elsewhere\n", "30 23 0:26 /docker/x /sys/fs/cgroup ro "
				      "- cgroup2 cgroup2 rw\n");
	put("/sys/fs/cgroup/cpu.max", "200000 100000\n");
	tap_ok(stn_quota_processors(root) == 2,
	       "of which its top counts for who is elsewhere");
}

static void
test_broken(void)
{
	static const char *const wrong[] = {
		"",	    "\n",  "0",		"0 0\n",
		"100000 0", "x y", "-5 100000", "9223372036854775807 1"
	};
	bool none = true;

	begin_root("0::/\n", V2);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		put("/sys/fs/cgroup/cpu.max", wrong[i]);
		none = none && !stn_quota_processors(root);
	}
	tap_ok(none, "what is no quota limits nothing");
	begin_root("0:\n:\n::\n0::", " - \nx - cgroup2\n- cgroup2 a b\n");
	tap_ok(!stn_quota_processors(root),
	       "nor do files that are none of a kernel's");
}

static void
test_nodes(void)
{
	tap_ok(stn_place_nodes("host") == 1 && stn_place_nodes("7") == 7,
	       "a host has one node, or as many as are told");
	tap_ok(stn_place_known("numa") && stn_place_known("core") &&
		       stn_place_known("1") && !stn_place_known("0") &&
		       !stn_place_known("socket") && !stn_place_known(""),
	       "and no other words are known");
#ifdef HAVE_HWLOC
	setenv("HWLOC_SYNTHETIC", "pack:2 numa:2 core:3 pu:2", 1);
	tap_ok(stn_place_nodes("numa") == 4, "by numa, one for each memory");
	tap_ok(stn_place_nodes("core") == 12, "by core, one for each core");
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
