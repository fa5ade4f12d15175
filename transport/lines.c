#include "transport/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

enum stn_err
stn_lines_read(FILE *in, const char *name, stn_line *take, void *arg,
	       struct stn_why *why)
{
	enum stn_err err = STN_OK;
	char *line = NULL;
	size_t room = 0;
	ssize_t length;

	while (!err && (length = getline(&line, &room, in)) >= 0)
		err = take(arg, line, (size_t)length);
	if (!err && ferror(in))
		err = stn_because(why, STN_IO, "can't read %.100s: %s", name,
				  strerror(errno));
	free(line);
	return err;
}

enum stn_err
stn_lines_open(const char *path, const char *what, FILE **in_p,
	       struct stn_why *why)
{
	FILE *in = fopen(path, "re");

	if (!in)
		return stn_because(why, STN_IO, "can't read %s from %.100s: %s",
				   what, path, strerror(errno));
	*in_p = in;
	return STN_OK;
}
