/*
 * arrows.h: pairs each recorded send with the take of the same message.
 */
#ifndef STN_NODE_TRACE_ARROWS_H
#define STN_NODE_TRACE_ARROWS_H

#include "node/trace/part.h"

/* One end of a message: a node, and one of its events. */
struct stn_trace_end {
	uint32_t node;
	struct stn_trace_event *event;
	uint64_t at_ns; /* when it began, on the root's clock */
};

/* A message, with both ends. */
struct stn_trace_arrow {
	struct stn_trace_end from, to;
};

/*
 * stn_trace_arrows: all messages whose two ends were recorded. The caller frees
 * *arrows_p. Returns STN_OK or STN_NO_MEMORY.
 * @parts  one for each node; all events are valid
 */
STN_CHECKED enum stn_err stn_trace_arrows(const struct stn_trace_part *parts,
					  uint32_t nodes,
					  struct stn_trace_arrow **arrows_p,
					  size_t *count_p);

#endif
