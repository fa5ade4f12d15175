#include "transport/own_program.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool
stn_own_program(char *path, size_t room)
{
	ssize_t length = readlink("/proc/self/exe", path, room);
	bool fits = length > 0 && (size_t)length < room;

	path[fits ? length : 0] = '\0';
	return fits;
}

/*
 * Writes the program's directory. In a build tree, where libtool may have put
 * the program into .libs, it is the directory above .libs.
 */
static bool
own_directory(char *path, size_t room)
{
	char *end;

	if (!stn_own_program(path, room))
		return false;
	end = strrchr(path, '/');
	*end = '\0';
	end = strrchr(path, '/');
	if (end && !strcmp(end, "/.libs"))
		*end = '\0';
	return true;
}

bool
stn_own_place(const char *directory, char *path, size_t room)
{
	char program[PATH_MAX];
	int length = -1;

	if (*directory == '/')
		length = snprintf(path, room, "%s", directory);
	else if (own_directory(program, sizeof(program)))
		length = snprintf(path, room, "%s/%s", program, directory);
	if (length >= 0 && (size_t)length < room)
		return true;
	*path = '\0';
	return false;
}

bool
stn_own_find(const char *const *directories, const char *file, char *path,
	     size_t room)
{
	char place[PATH_MAX];

	*path = '\0';
	for (; *directories; directories++) {
		if (!stn_own_place(*directories, place, sizeof(place)))
			continue;
		if ((size_t)snprintf(path, room, "%s/%s", place, file) < room &&
		    !access(path, R_OK))
			return true;
	}
	return false;
}
