#include "tests/launch/fake_sys.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/sateen-sys-XXXXXX";
static unsigned files; /* files made in /dev/infiniband */

const char *
sys_begin(void)
{
	if (!mkdtemp(root))
		abort();
	return root;
}

static int
forget(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	return remove(path);
}

void
sys_end(void)
{
	nftw(root, forget, 8, FTW_DEPTH | FTW_PHYS);
}

void
sys_make(const char *path, const char *text)
{
	char whole[4096];
	FILE *file;

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	for (char *at = whole + strlen(root) + 1; (at = strchr(at, '/'));
	     at++) {
		*at = '\0';
		if (mkdir(whole, 0700) && errno != EEXIST)
			abort();
		*at = '/';
	}
	file = fopen(whole, "w");
	if (!file)
		abort();
	fprintf(file, "%s\n", text);
	fclose(file);
}

static void
make_in(const char *directory, const char *name, const char *text)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	sys_make(path, text);
}

void
sys_set_port(const char *device, const char *file, const char *text)
{
	char path[2048];

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1",
		 device);
	make_in(path, file, text);
}

void
sys_make_rdma(const char *name, const char *layer, const char *state,
	      const char *rate, const char *numa_node)
{
	char path[2048], file[32];

	sys_set_port(name, "link_layer", layer);
	sys_set_port(name, "state", state);
	sys_set_port(name, "rate", rate);
	snprintf(path, sizeof(path), "/sys/class/infiniband/%s", name);
	make_in(path, "node_type", "1: CA");
	make_in(path, "device/numa_node", numa_node);
	snprintf(file, sizeof(file), "uverbs%u", files++);
	snprintf(path, sizeof(path), "/sys/class/infiniband_verbs/%s", file);
	make_in(path, "ibdev", name);
	make_in("/dev/infiniband", file, "");
}

void
sys_set_driver(const char *device, const char *driver)
{
	char path[4096], target[64];

	snprintf(path, sizeof(path), "%s/sys/class/infiniband/%s/device/driver",
		 root, device);
	snprintf(target, sizeof(target), "../../drivers/%s", driver);
	if (symlink(target, path))
		abort();
}

void
sys_make_numa_domain(unsigned number, const char *cores, const char *distance)
{
	char path[2048];

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%u", number);
	make_in(path, "cpumap", cores);
	make_in(path, "distance", distance);
}
