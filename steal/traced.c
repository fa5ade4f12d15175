#include "steal/traced.h"

const struct stn_trace_kind stn_steal_traced[STN_STEAL_TRACED] = {
	{ STN_TRACE_RUN, STN_TRACE_NESTED, "stolen call", NULL },
	{ STN_TRACE_NEIGHBOUR, STN_TRACE_NESTED, "neighbour's call", NULL },
	{ STN_TRACE_SYNC, STN_TRACE_NESTED, "sync", NULL },
	{ STN_TRACE_STOLEN, STN_TRACE_APART, "steal", "request" },
	{ STN_TRACE_REFUSED, STN_TRACE_APART, "refused steal", "request" },
};

const char *
stn_steal_trace_name(void *state, const struct stn_trace_event *event)
{
	const struct stn_steal *steal = state;
	const struct stn_table *table = &steal->program->table;

	if (event->kind != STN_TRACE_RUN && event->kind != STN_TRACE_NEIGHBOUR)
		return NULL;
	for (uint32_t i = 0; i < table->count; i++)
		if ((uint32_t)stn_table_hash(table, table->tasks[i]) ==
		    event->number)
			return table->tasks[i]->name;
	return NULL;
}
