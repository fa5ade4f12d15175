/*
 * traced.h: the events of arrays in a trace (node/trace/event.h). Their number
 * is that of the part.
 */
#ifndef STN_PARTS_TRACED_H
#define STN_PARTS_TRACED_H

#include "node/trace/event.h"

enum {
	STN_TRACE_TURN = 40, /* a worker did an operation with a part */
	STN_TRACE_MOVED	     /* a part came here, from its first byte on */
};

#define STN_PARTS_TRACED 2
extern const struct stn_trace_kind stn_parts_traced[STN_PARTS_TRACED];

#endif
