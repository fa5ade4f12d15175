#include "launch/survey/devices.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool
stn_sysfs_line(const char *root, const char *path,
	       char text[STN_SYSFS_LINE_BYTES])
{
	char whole[PATH_MAX];
	ssize_t got;
	int fd;

	text[0] = '\0';
	if (snprintf(whole, sizeof(whole), "%s%s", root, path) >=
	    (int)sizeof(whole))
		return false;
	fd = open(whole, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	got = read(fd, text, STN_SYSFS_LINE_BYTES - 1);
	close(fd);
	text[got > 0 ? got : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return got > 0;
}

long
stn_sysfs_number(const char *root, const char *path, long otherwise)
{
	char text[STN_SYSFS_LINE_BYTES], *end;
	long number;

	if (!stn_sysfs_line(root, path, text))
		return otherwise;
	number = strtol(text, &end, 0);
	return end == text ? otherwise : number;
}

void
stn_sysfs_copy(char to[STN_SYSFS_NAME_BYTES], const char *from)
{
	size_t length = strnlen(from, STN_SYSFS_NAME_BYTES - 1);

	memmove(to, from, length);
	to[length] = '\0';
}

void
stn_sysfs_link(const char *root, const char *path,
	       char name[STN_SYSFS_NAME_BYTES])
{
	char whole[PATH_MAX], target[PATH_MAX];
	const char *slash;
	ssize_t got;

	name[0] = '\0';
	snprintf(whole, sizeof(whole), "%s%s", root, path);
	got = readlink(whole, target, sizeof(target) - 1);
	if (got <= 0)
		return;
	target[got] = '\0';
	slash = strrchr(target, '/');
	stn_sysfs_copy(name, slash ? slash + 1 : target);
}

/*
 * The mask is words of 32 bits in hexadecimal, highest first, separated by
 * commas.
 */
bool
stn_sysfs_cores(const char *root, const char *path, cpu_set_t *cores)
{
	char text[STN_SYSFS_LINE_BYTES];
	size_t bit = 0;

	CPU_ZERO(cores);
	if (!stn_sysfs_line(root, path, text))
		return false;
	for (size_t i = strlen(text); i-- > 0;) {
		char digit[2] = { text[i], '\0' };
		unsigned long value;

		if (text[i] == ',')
			continue;
		if (!isxdigit((unsigned char)text[i])) {
			CPU_ZERO(cores);
			return false;
		}
		value = strtoul(digit, NULL, 16);
		for (int j = 0; j < 4; j++, bit++)
			if (value >> j & 1 && bit < CPU_SETSIZE)
				CPU_SET(bit, cores);
	}
	return true;
}

static int
sysfs_is_name(const struct dirent *entry)
{
	return entry->d_name[0] != '.' &&
	       strlen(entry->d_name) < STN_SYSFS_NAME_BYTES;
}

void
stn_sysfs_each(const char *root, const char *path, stn_sysfs_visit *visitor,
	       void *arg)
{
	struct dirent **entries;
	char whole[PATH_MAX];
	int count;

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	count = scandir(whole, &entries, sysfs_is_name, versionsort);
	for (int i = 0; i < count; i++) {
		visitor(arg, entries[i]->d_name);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}
