/*
 * chrome.h: writes the events of a run in Chrome's trace event format, which
 * Perfetto (ui.perfetto.dev) and chrome://tracing open:
 *
 *	https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
 *
 * A node is a process there, with the rank plus 1 as its id; each worker is a
 * thread, and so are the node's messages. Times are in microseconds since the
 * first event. Kinds of events are documented in sateen-trace(5).
 */
#ifndef STN_NODE_TRACE_CHROME_H
#define STN_NODE_TRACE_CHROME_H

#include <stdio.h>

#include "node/trace/part.h"

/*
 * stn_trace_chrome: writes the file, and numbers the arrows of the events for
 * that. The caller looks for errors of @out.
 * Returns STN_OK or STN_NO_MEMORY.
 * @node  the root of the run
 * @parts  one for each node, whose events are valid
 */
STN_CHECKED enum stn_err stn_trace_chrome(const struct stn_node *node,
					  const struct stn_trace_part *parts,
					  FILE *out);

#endif
