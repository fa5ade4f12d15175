#include "launch/run/exported.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

/* Does the first item of @names, of @length bytes, stand for the variable? */
static bool
is_meant(const char *variable, const char *names, size_t length)
{
	if (length && names[length - 1] == '*')
		length--;
	else if (strcspn(variable, "=") != length)
		return false;
	return !strncmp(variable, names, length);
}

static bool
any_meant(const char *variable, const char *names)
{
	if (!strcmp(names, "none"))
		return false;
	for (;; names++) {
		size_t length = strcspn(names, ",");

		if (is_meant(variable, names, length))
			return true;
		names += length;
		if (!*names)
			return false;
	}
}

char **
stn_exported(const char *names)
{
	size_t count = 0, all = 0;
	char **list;

	while (environ[all])
		all++;
	list = calloc(all + 1, sizeof(list[0]));
	for (size_t i = 0; list && i < all; i++)
		if (any_meant(environ[i], "STN_*,FI_*,UCX_*") ||
		    any_meant(environ[i], names))
			list[count++] = environ[i];
	return list;
}

static bool
variable_exists(const char *name, size_t length)
{
	for (char **at = environ; *at; at++)
		if (is_meant(*at, name, length))
			return true;
	return false;
}

enum stn_err
stn_exported_check(const char *names, struct stn_why *why)
{
	if (!strcmp(names, "none"))
		return STN_OK;
	for (;; names++) {
		size_t length = strcspn(names, ",");

		if (!length)
			return stn_because(why, STN_INVALID,
					   "export has an empty name; write "
					   "names of variables with commas "
					   "between them");
		if (names[length - 1] != '*' && !variable_exists(names, length))
			return stn_because(why, STN_INVALID,
					   "export names %.*s, and this "
					   "environment has no such variable; "
					   "set it, or leave it out",
					   (int)length, names);
		names += length;
		if (!*names)
			return STN_OK;
	}
}
