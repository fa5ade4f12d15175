/*
 * rings.h: the rings of a node (event.h).
 */
#ifndef STN_NODE_TRACE_RINGS_H
#define STN_NODE_TRACE_RINGS_H

#include "node/trace/part.h"

struct stn_trace_rings {
	uint32_t workers;
	struct stn_trace_ring net;
	struct stn_trace_ring *each; /* a ring for each worker */
};

/*
 * stn_trace_rings_init: makes the rings, which take the node's share of
 * --trace-memory at most. The node's workers do not run yet, and record from
 * now on. Returns STN_OK or STN_NO_MEMORY.
 * stn_trace_rings_fini: takes rings that were set to zero, too.
 */
STN_CHECKED enum stn_err stn_trace_rings_init(struct stn_trace_rings *rings,
					      struct stn_node *node);
void stn_trace_rings_fini(struct stn_trace_rings *rings);

/*
 * stn_trace_rings_take: the workers have ended: nothing is recorded any more.
 * Copies the events to @part, whose events the caller frees, and frees the
 * rings. Returns STN_OK or STN_NO_MEMORY. Net lock held.
 */
STN_CHECKED enum stn_err stn_trace_rings_take(struct stn_trace_rings *rings,
					      struct stn_node *node,
					      struct stn_trace_part *part);

/*
 * stn_trace_rings_copy: copies the events to @part, as stn_trace_rings_take
 * does, while the workers record more. Work and span are not known then. Behind
 * the events is room for one more. Net lock held.
 */
STN_CHECKED enum stn_err
stn_trace_rings_copy(const struct stn_trace_rings *rings,
		     struct stn_trace_part *part);

#endif
