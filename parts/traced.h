/*
 * traced.h: the events of arrays in a trace (node/trace/event.h). The first two
 * have the part in `number`.
 */
#ifndef STN_PARTS_TRACED_H
#define STN_PARTS_TRACED_H

#include "node/trace/event.h"

enum {
	STN_TRACE_TURN = 40, /* a worker did an operation with a part */
	STN_TRACE_MOVED,     /* a part came here, from its first byte on */
	STN_TRACE_ARRAY	     /* a worker waited for an operation */
};

#define STN_PARTS_TRACED 3
extern const struct stn_trace_kind stn_parts_traced[STN_PARTS_TRACED];

#endif
