/*
 * lines.h: reads text files of settings that are written line by line.
 */
#ifndef STN_TRANSPORT_LINES_H
#define STN_TRANSPORT_LINES_H

#include <stdio.h>

#include "transport/error.h"

/*
 * Takes one line of @length bytes, with its newline. The line ends with a zero
 * byte and may contain others. It may be changed, and is valid during the call.
 */
typedef enum stn_err stn_line(void *arg, char *line, size_t length);

/*
 * stn_lines_read: calls @take for each line of @in, up to the first line for
 * which @take returns an error, and returns that error. If @in can't be read,
 * returns STN_IO, and @why names the file by @name.
 */
STN_CHECKED enum stn_err stn_lines_read(FILE *in, const char *name,
					stn_line *take, void *arg,
					struct stn_why *why);

/*
 * stn_lines_open: opens the file @path to read it. STN_IO; @why then names the
 * file and @what it is, such as "links".
 */
STN_CHECKED enum stn_err stn_lines_open(const char *path, const char *what,
					FILE **in_p, struct stn_why *why);

#endif
