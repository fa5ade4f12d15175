#include "steal/wire.h"

#include "steal/buffers.h"
#include "steal/stats/stats.h"

const char *
stn_kind_name(unsigned kind)
{
	static const char *const names[STN_STATS_KINDS] = {
		[STN_REQUEST] = "request", [STN_GRANT] = "grant",
		[STN_REFUSE] = "refuse",   [STN_CANCEL] = "cancel",
		[STN_PUSH] = "push",	   [STN_RESULT] = "result",
		[STN_LOAD] = "load",	   [STN_EXIT] = "exit",
		[STN_STATS] = "stats",	   [STN_TAKEN] = "taken",
	};

	return kind < STN_STATS_KINDS ? names[kind] : NULL;
}

/* Copies a header of exactly @bytes; such a message has no payload. */
static enum stn_err
parse_header(const struct stn_message *message, void *header, size_t bytes)
{
	if (message->header_bytes != bytes)
		return STN_MALFORMED;
	if (bytes)
		memcpy(header, message->header, bytes);
	return STN_OK;
}

/* Of a GRANT, or of a PUSH, which answers no request. */
static enum stn_err
parse_record(const struct stn_message *message, const struct stn_table *table,
	     struct stn_record *record)
{
	const struct stn_task *task;
	size_t memory, inputs;

	if (message->header_bytes < STN_WIRE_BYTES ||
	    message->header_bytes > STN_WIRE_BYTES + STN_ARGUMENT_BYTES)
		return STN_MALFORMED;
	memset(record, 0, sizeof(*record));
	memcpy((char *)record + STN_WIRE_AT, message->header,
	       message->header_bytes);
	if (record->task_id >= table->count ||
	    (message->kind == STN_PUSH && record->request))
		return STN_MALFORMED;
	task = table->tasks[record->task_id];
	if (message->header_bytes != STN_WIRE_BYTES + task->argument_bytes)
		return STN_MALFORMED;
	if (stn_buffers_measure(task, record, &memory, &inputs) ||
	    inputs != message->payload_bytes)
		return STN_MALFORMED;
	record->task = task;
	return STN_OK;
}

enum stn_err
stn_wire_parse(const struct stn_message *message, const struct stn_table *table,
	       struct stn_wire *wire)
{
	wire->kind = message->kind;
	switch (message->kind) {
	case STN_REQUEST:
		if (message->payload_bytes)
			return STN_MALFORMED;
		return parse_header(message, &wire->request,
				    sizeof(wire->request));
	case STN_REFUSE:
		if (message->payload_bytes &&
		    message->payload_bytes != STN_GAUGE_BYTES)
			return STN_MALFORMED;
		return parse_header(message, &wire->refusal,
				    sizeof(wire->refusal));
	case STN_CANCEL:
		if (message->payload_bytes)
			return STN_MALFORMED;
		return parse_header(message, &wire->refusal,
				    sizeof(wire->refusal));
	case STN_LOAD:
		if (message->payload_bytes)
			return STN_MALFORMED;
		return parse_header(message, &wire->load, sizeof(wire->load));
	case STN_GRANT:
	case STN_PUSH:
		return parse_record(message, table, &wire->record);
	case STN_RESULT:
		return parse_header(message, &wire->result,
				    sizeof(wire->result));
	case STN_EXIT:
	case STN_TAKEN:
		if (message->payload_bytes)
			return STN_MALFORMED;
		return parse_header(message, NULL, 0);
	case STN_STATS:
		if (message->payload_bytes != sizeof(struct stn_stats))
			return STN_MALFORMED;
		return parse_header(message, NULL, 0);
	}
	return STN_MALFORMED;
}
