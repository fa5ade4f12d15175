#include "launch/plan/quota.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A hierarchy of control groups, and this process's group in it. */
struct cgroups {
	const char *root;
	bool v1;	      /* version 1 of control groups */
	char path[PATH_MAX];  /* the group's path in the hierarchy */
	char top[PATH_MAX];   /* the part of the hierarchy that is mounted */
	char mount[PATH_MAX]; /* where it is mounted; "": nowhere */
};

static FILE *
open_below(const char *root, const char *path)
{
	char name[3 * PATH_MAX];

	snprintf(name, sizeof(name), "%s%s", root, path);
	return fopen(name, "re");
}

/* Is @word in @list? Commas separate the words of the list. */
static bool
list_has(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (!strncmp(at, word, length) &&
		    (!at[length] || at[length] == ',' || at[length] == '\n'))
			return true;
	}
	return false;
}

/* Reads a line of /proc/self/cgroup: NUMBER:CONTROLLERS:PATH. */
static void
read_path(struct cgroups *cgroups, char *line)
{
	char *controllers = strchr(line, ':'), *path;

	path = controllers ? strchr(controllers + 1, ':') : NULL;
	if (!path)
		return;
	*controllers++ = *path++ = '\0';
	path[strcspn(path, "\n")] = '\0';
	if (cgroups->v1 ? list_has(controllers, "cpu") : !*controllers)
		snprintf(cgroups->path, sizeof(cgroups->path), "%s", path);
}

/* Reads a line of /proc/self/mountinfo, see proc(5). */
static void
read_mount(struct cgroups *cgroups, char *line)
{
	char type[16], options[1024], *end = strstr(line, " - ");

	/* Skips the source, and the numbers of mounts and of the device. */
	if (end && sscanf(end, " - %15s %*s %1023s", type, options) == 2 &&
	    (cgroups->v1 ? !strcmp(type, "cgroup") && list_has(options, "cpu")
			 : !strcmp(type, "cgroup2")))
		sscanf(line, "%*s %*s %*s %4095s %4095s", cgroups->top,
		       cgroups->mount);
}

static void
read_lines(struct cgroups *cgroups, const char *file,
	   void (*read)(struct cgroups *, char *))
{
	FILE *in = open_below(cgroups->root, file);
	char *line = NULL;
	size_t room = 0;

	while (in && getline(&line, &room, in) >= 0)
		read(cgroups, line);
	free(line);
	if (in)
		fclose(in);
}

static bool
ends_line(FILE *in)
{
	int next = getc(in);

	return next == '\n' || next == EOF;
}

/*
 * Reads the numbers in a group's file. Returns how many it has read, at most
 * @most; 0 if something else follows them.
 */
static int
read_numbers(const struct cgroups *cgroups, const char *path, const char *file,
	     long long *numbers, int most)
{
	char name[2 * PATH_MAX];
	int count = 0;
	FILE *in;

	snprintf(name, sizeof(name), "%s%s/%s", cgroups->mount, path, file);
	in = open_below(cgroups->root, name);
	while (in && count < most && fscanf(in, "%lld", &numbers[count]) == 1)
		count++;
	if (in && count == most && !ends_line(in))
		count = 0;
	if (in)
		fclose(in);
	return count;
}

/* One group's quota in thousandths of a processor; 0: no limit. */
static uint64_t
group_limit(const struct cgroups *cgroups, const char *path)
{
	long long numbers[2]; /* time and period in us; time -1: no limit */
	uint64_t limit;

	if (cgroups->v1) {
		if (!read_numbers(cgroups, path, "cpu.cfs_quota_us", numbers,
				  1) ||
		    !read_numbers(cgroups, path, "cpu.cfs_period_us",
				  numbers + 1, 1))
			return 0;
	} else if (read_numbers(cgroups, path, "cpu.max", numbers, 2) < 2) {
		return 0; /* the file says "max" */
	}
	if (numbers[0] <= 0 || numbers[1] <= 0 || numbers[0] > INT64_MAX / 1000)
		return 0;
	limit = (uint64_t)(numbers[0] * 1000 / numbers[1]);
	return limit ? limit : 1;
}

/* The lowest quota of the group and the groups around it; 0: no limit. */
static uint64_t
lowest_limit(struct cgroups *cgroups)
{
	size_t top = strcmp(cgroups->top, "/") ? strlen(cgroups->top) : 0;
	char *path = cgroups->path, *slash;
	uint64_t least = 0, limit;

	/*
	 * In a container the mount may begin at an inner group, cgroups->top.
	 */
	if (!strncmp(path, cgroups->top, top) &&
	    (!path[top] || path[top] == '/'))
		path += top;
	else
		*path = '\0';
	for (;;) {
		limit = group_limit(cgroups, path);
		if (limit && (!least || limit < least))
			least = limit;
		slash = strrchr(path, '/');
		if (!slash)
			return least;
		*slash = '\0';
	}
}

static uint64_t
hierarchy_limit(const char *root, bool v1)
{
	struct cgroups *cgroups = calloc(1, sizeof(*cgroups));
	uint64_t limit = 0;

	if (!cgroups)
		return 0;
	cgroups->root = root;
	cgroups->v1 = v1;
	read_lines(cgroups, "/proc/self/cgroup", read_path);
	read_lines(cgroups, "/proc/self/mountinfo", read_mount);
	if (*cgroups->path && *cgroups->mount)
		limit = lowest_limit(cgroups);
	free(cgroups);
	return limit;
}

uint32_t
stn_quota_processors(const char *root)
{
	uint64_t new = hierarchy_limit(root, false),
		 old = hierarchy_limit(root, true);
	uint64_t least = new && (!old || new < old) ? new : old;

	if (!least)
		return 0;
	if (least < 1000)
		return 1;
	return least / 1000 < UINT32_MAX ? (uint32_t)(least / 1000) : 0;
}
