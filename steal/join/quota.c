#include "steal/join/quota.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A hierarchy of groups, and where this process is in it. */
struct groups {
	const char *root;
	bool old;	      /* version 1 */
	char path[PATH_MAX];  /* from the hierarchy's top, as the kernel says */
	char top[PATH_MAX];   /* what of it is mounted, */
	char mount[PATH_MAX]; /*   and where; "": nowhere */
};

static FILE *
open_below(const char *root, const char *path)
{
	char name[3 * PATH_MAX];

	snprintf(name, sizeof(name), "%s%s", root, path);
	return fopen(name, "re");
}

/* Is @word one of the words in @list, which commas divide? */
static bool
lists(const char *list, const char *word)
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

/* A line of /proc/self/cgroup: NUMBER:CONTROLLERS:PATH. */
static void
read_path(struct groups *groups, char *line)
{
	char *controllers = strchr(line, ':'), *path;

	path = controllers ? strchr(controllers + 1, ':') : NULL;
	if (!path)
		return;
	*controllers++ = *path++ = '\0';
	path[strcspn(path, "\n")] = '\0';
	if (groups->old ? lists(controllers, "cpu") : !*controllers)
		snprintf(groups->path, sizeof(groups->path), "%s", path);
}

/* A line of /proc/self/mountinfo, see proc(5). */
static void
read_mount(struct groups *groups, char *line)
{
	char *words[5] = { NULL }, *rest = NULL, *type, *options;
	char *end = strstr(line, " - ");

	if (!end)
		return;
	*end = '\0';
	type = strtok_r(end + 3, " ", &rest);
	strtok_r(NULL, " ", &rest); /* the source */
	options = strtok_r(NULL, " ", &rest);
	words[0] = strtok_r(line, " ", &rest);
	for (int i = 1; i < 5; i++)
		words[i] = strtok_r(NULL, " ", &rest);
	if (!type || !options || !words[4])
		return;
	if (groups->old ? strcmp(type, "cgroup") || !lists(options, "cpu")
			: strcmp(type, "cgroup2"))
		return;
	snprintf(groups->top, sizeof(groups->top), "%s", words[3]);
	snprintf(groups->mount, sizeof(groups->mount), "%s", words[4]);
}

static void
read_lines(struct groups *groups, const char *file,
	   void (*read)(struct groups *, char *))
{
	FILE *in = open_below(groups->root, file);
	char *line = NULL;
	size_t room = 0;

	while (in && getline(&line, &room, in) >= 0)
		read(groups, line);
	free(line);
	if (in)
		fclose(in);
}

/* The numbers in a group's file; how many there are, of @most at most. */
static int
read_numbers(const struct groups *groups, const char *path, const char *file,
	     long long *numbers, int most)
{
	char name[2 * PATH_MAX];
	int count = 0;
	FILE *in;

	snprintf(name, sizeof(name), "%s%s/%s", groups->mount, path, file);
	in = open_below(groups->root, name);
	while (in && count < most && fscanf(in, "%lld", &numbers[count]) == 1)
		count++;
	if (in)
		fclose(in);
	return count;
}

/* Thousandths of a processor that one group may use; 0: no limit. */
static uint64_t
limit_of(const struct groups *groups, const char *path)
{
	long long numbers[2]; /* so long in each period, in us; -1: ever */

	if (groups->old) {
		if (!read_numbers(groups, path, "cpu.cfs_quota_us", numbers,
				  1) ||
		    !read_numbers(groups, path, "cpu.cfs_period_us",
				  numbers + 1, 1))
			return 0;
	} else if (read_numbers(groups, path, "cpu.max", numbers, 2) < 2) {
		return 0; /* it says "max" */
	}
	if (numbers[0] <= 0 || numbers[1] <= 0 || numbers[0] > INT64_MAX / 1000)
		return 0;
	return (uint64_t)(numbers[0] * 1000 / numbers[1]);
}

/* The least of a group's and of all around it. */
static uint64_t
least_of(struct groups *groups)
{
	size_t top = strcmp(groups->top, "/") ? strlen(groups->top) : 0;
	char *path = groups->path, *slash;
	uint64_t least = 0, limit;

	/* What is mounted may be a part only, which begins at its top. */
	if (!strncmp(path, groups->top, top) &&
	    (!path[top] || path[top] == '/'))
		path += top;
	else
		*path = '\0';
	for (;;) {
		limit = limit_of(groups, path);
		if (limit && (!least || limit < least))
			least = limit;
		slash = strrchr(path, '/');
		if (!slash)
			return least;
		*slash = '\0';
	}
}

static uint64_t
limit_by(const char *root, bool old)
{
	static struct groups empty;
	struct groups *groups = malloc(sizeof(*groups));
	uint64_t limit = 0;

	if (!groups)
		return 0;
	*groups = empty;
	groups->root = root;
	groups->old = old;
	read_lines(groups, "/proc/self/cgroup", read_path);
	read_lines(groups, "/proc/self/mountinfo", read_mount);
	if (*groups->path && *groups->mount)
		limit = least_of(groups);
	free(groups);
	return limit;
}

uint32_t
stn_quota_processors(const char *root)
{
	uint64_t new = limit_by(root, false), old = limit_by(root, true);
	uint64_t least = new && (!old || new < old) ? new : old;

	if (!least)
		return 0;
	if (least < 1000)
		return 1;
	return least / 1000 < UINT32_MAX ? (uint32_t)(least / 1000) : 0;
}
