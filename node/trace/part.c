#include "node/trace/part.h"

static const struct stn_trace_kind core_kinds[] = {
	{ STN_TRACE_SEND, STN_TRACE_NESTED, "send", "number" },
	{ STN_TRACE_TAKE, STN_TRACE_NESTED, "take", "number" },
	{ STN_TRACE_MAIN, STN_TRACE_NESTED, "main", NULL },
	{ STN_TRACE_DIED, STN_TRACE_MOMENT, "a node has died", NULL },
	{ STN_TRACE_LEFT, STN_TRACE_MOMENT, "a node has left", NULL },
	{ STN_TRACE_JOINED, STN_TRACE_MOMENT, "a node has joined", NULL },
};

static const struct stn_trace_kind *
find(const struct stn_trace_kind *kinds, size_t count, uint8_t number)
{
	for (size_t i = 0; i < count; i++)
		if (kinds[i].number == number)
			return &kinds[i];
	return NULL;
}

const struct stn_trace_kind *
stn_trace_kind(const struct stn_node *node, uint8_t number)
{
	const struct stn_trace_kind *kind = find(
		core_kinds, sizeof(core_kinds) / sizeof(core_kinds[0]), number);

	for (size_t i = 0; !kind && node->services[i]; i++)
		kind = find(node->services[i]->traced,
			    node->services[i]->traced_count, number);
	return kind;
}

static bool
valid(const struct stn_node *node, const struct stn_trace_event *event)
{
	if (!stn_trace_kind(node, event->kind))
		return false;
	if (event->kind <= STN_TRACE_TAKE &&
	    (!stn_node_kind(node, event->message) ||
	     event->other >= node->topology->nodes))
		return false;
	if (event->thread != STN_TRACE_NET &&
	    event->thread >= STN_TRACE_WORKERS_MOST)
		return false;
	return event->begin_ns <= event->end_ns &&
	       (event->other < node->topology->nodes ||
		event->other == STN_NOBODY);
}

enum stn_err
stn_trace_parse(const struct stn_node *node, const struct stn_trace_part *part)
{
	if (part->workers > STN_TRACE_WORKERS_MOST)
		return STN_MALFORMED;
	for (size_t i = 0; i < part->count; i++)
		if (!valid(node, &part->events[i]))
			return STN_MALFORMED;
	return STN_OK;
}
