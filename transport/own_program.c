#include "transport/own_program.h"

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

bool
stn_own_directory(char *path, size_t room)
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
