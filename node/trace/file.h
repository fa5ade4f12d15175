/*
 * file.h: the file of --trace, which the root writes.
 */
#ifndef STN_NODE_TRACE_FILE_H
#define STN_NODE_TRACE_FILE_H

#include <stdio.h>

#include "node/trace/part.h"

struct stn_trace_file {
	FILE *file; /* NULL: not open */
};

/*
 * stn_trace_file_open: opens it. On node 0 at the beginning, so that a wrong
 * name ends the run before it begins.
 * stn_trace_file_write: writes the events of all nodes, and closes the file.
 * Opens it if it is not open. Returns STN_IO, after a line on stderr, if that
 * fails. Tells on stderr how many events are missing.
 * stn_trace_file_fini: closes the file if it is open.
 */
STN_CHECKED enum stn_err stn_trace_file_open(struct stn_trace_file *file,
					     const struct stn_node *node,
					     struct stn_why *why);
STN_CHECKED enum stn_err
stn_trace_file_write(struct stn_trace_file *file, const struct stn_node *node,
		     const struct stn_trace_part *parts);
void stn_trace_file_fini(struct stn_trace_file *file);

#endif
