/*
 * part.h: the events of one node, as the root has received them.
 */
#ifndef STN_NODE_TRACE_PART_H
#define STN_NODE_TRACE_PART_H

#include "node/trace/event.h"

struct stn_trace_part {
	struct stn_trace_event *events; /* NULL: has not arrived */
	size_t count;
	int64_t offset_ns; /* to be added to all times */
	uint64_t error_ns; /* of that offset */
	uint64_t lost;	   /* events that had no room in the node's memory */
	uint32_t workers;
	/*
	 * Work of the node's workers in tasks, STN_FOREVER if it was not
	 * measured; and the span, on the root.
	 */
	uint64_t work_ns, span_ns;
};

/* stn_trace_on_root: a time of an event, on the root's clock. */
static inline uint64_t
stn_trace_on_root(const struct stn_trace_part *part, uint64_t ns)
{
	return ns + (uint64_t)part->offset_ns;
}

/*
 * stn_trace_parse: checks events that came from another node.
 * @node  the root, whose services name all kinds
 */
STN_CHECKED enum stn_err stn_trace_parse(const struct stn_node *node,
					 const struct stn_trace_part *part);

/* stn_trace_kind: the kind with that number; NULL: there is none. */
const struct stn_trace_kind *stn_trace_kind(const struct stn_node *node,
					    uint8_t number);

#endif
