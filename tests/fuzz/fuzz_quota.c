/*
 * fuzz_quota.c: whatever the kernel's files about control groups contain, they
 * can be read. A quota of two numbers counts as it should.
 *
 * Input: the contents of the files below, in their order, each ended by a zero
 * byte. The first 16 bytes are also taken as the numbers of a quota.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch/plan/quota.h"
#include "tests/fuzz/fuzz.h"

static const char *const folders[] = { "proc", "proc/self", "cg", "cg/job" };
static const char *const files[] = {
	"proc/self/cgroup",	"proc/self/mountinfo",
	"cg/cpu.max",		"cg/job/cpu.max",
	"cg/cpu.cfs_quota_us",	"cg/job/cpu.cfs_quota_us",
	"cg/cpu.cfs_period_us", "cg/job/cpu.cfs_period_us",
};

#define FOLDERS (sizeof(folders) / sizeof(folders[0]))
#define FILES (sizeof(files) / sizeof(files[0]))

static char root[PATH_MAX];
static int root_fd;

static void
remove_root(void)
{
	for (size_t i = 0; i < FILES; i++)
		unlinkat(root_fd, files[i], 0);
	for (size_t i = FOLDERS; i-- > 0;)
		unlinkat(root_fd, folders[i], AT_REMOVEDIR);
	close(root_fd);
	rmdir(root);
}

static void
make_root(void)
{
	const char *scratch = getenv("TAP_SCRATCH"); /* of the test */

	snprintf(root, sizeof(root), "%s/quota.XXXXXX",
		 scratch ? scratch : "/tmp");
	require(mkdtemp(root) != NULL);
	root_fd = open(root, O_DIRECTORY | O_CLOEXEC);
	require(root_fd >= 0);
	for (size_t i = 0; i < FOLDERS; i++)
		require(!mkdirat(root_fd, folders[i], 0700));
	atexit(remove_root);
}

static void
write_file(const char *name, const void *bytes, size_t size)
{
	int fd = openat(root_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
			0600);

	require(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
	close(fd);
}

static void
fuzz_files(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < FILES; i++) {
		const uint8_t *end = size ? memchr(data, '\0', size) : NULL;
		size_t length = end ? (size_t)(end - data) : size;

		write_file(files[i], data, length);
		data += length + !!end;
		size -= length + !!end;
	}
	stn_quota_processors(root);
}

/* The only quota has these numbers. */
static void
check_numbers(long long quota, long long period)
{
	static const char group[] = "0::/\n";
	static const char mount[] = "1 2 0:3 / /cg rw - cgroup2 none rw\n";
	bool limits = quota > 0 && period > 0 && quota <= INT64_MAX / 1000;
	uint32_t found;
	char text[100];

	write_file(files[0], group, strlen(group));
	write_file(files[1], mount, strlen(mount));
	snprintf(text, sizeof(text), "%lld %lld\n", quota, period);
	write_file(files[2], text, strlen(text));
	found = stn_quota_processors(root);
	if (!limits || quota / period >= UINT32_MAX)
		require(!found);
	else
		require(found ==
			(quota < period ? 1 : (uint32_t)(quota / period)));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool made;
	long long numbers[2];

	if (!made)
		make_root();
	made = true;
	fuzz_files(data, size);
	if (size >= sizeof(numbers)) {
		memcpy(numbers, data, sizeof(numbers));
		check_numbers(numbers[0], numbers[1]);
	}
	return 0;
}
