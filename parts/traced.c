#include "parts/traced.h"

const struct stn_trace_kind stn_parts_traced[STN_PARTS_TRACED] = {
	{ STN_TRACE_TURN, STN_TRACE_NESTED, "part", "part" },
	{ STN_TRACE_MOVED, STN_TRACE_APART, "move of a part", "part" },
	{ STN_TRACE_ARRAY, STN_TRACE_NESTED, "array", NULL },
};
