#include "steal/wire.h"

#include "steal/buffers.h"

const struct stn_kind stn_wire_kinds[STN_WIRE_KINDS] = {
	{ STN_REQUEST, "request", .numbered = true },
	{ STN_GRANT, "grant", .numbered = true,
	  .number_at = offsetof(struct stn_record, request) - STN_WIRE_AT },
	{ STN_REFUSE, "refuse", .numbered = true },
	{ STN_CANCEL, "cancel", .numbered = true },
	{ STN_PUSH, "push", .numbered = false },
	{ STN_RESULT, "result", .numbered = true },
	{ STN_LOAD, "load", .numbered = true },
	{ STN_TAKEN, "taken", .numbered = false },
	{ STN_MOVED, "moved", .numbered = true },
	{ STN_WHERE, "where", .numbered = true },
	{ STN_GONE, "gone", .numbered = true },
	{ STN_FETCH, "fetch", .numbered = false },
	{ STN_DEPOSIT, "deposit", .numbered = false },
	{ STN_RUN, "run", .numbered = false },
	{ STN_CLAIMED, "claimed", .numbered = true },
	{ STN_BUNDLE, "bundle", .numbered = true },
	{ STN_RESULTS, "results", .numbered = true },
	{ STN_SPAN, "span", .numbered = true },
};

/* Copies a header of exactly @bytes. */
static enum stn_err
parse_header(const struct stn_message *message, void *header, size_t bytes)
{
	if (message->header_bytes != bytes)
		return STN_MALFORMED;
	if (bytes)
		memcpy(header, message->header, bytes);
	return STN_OK;
}

static enum stn_err
parse_deposit(const struct stn_message *message,
	      struct stn_wire_deposit *deposit)
{
	enum stn_err err = parse_header(message, deposit, sizeof(*deposit));

	if (!err && (deposit->zero ||
		     deposit->keys >
			     message->payload_bytes / sizeof(struct stn_key)))
		return STN_MALFORMED;
	return err;
}

/* The record of a GRANT or PUSH. A PUSH answers no request. */
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

/* Each record and each result takes at least a byte. */
static enum stn_err
parse_bundle(const struct stn_message *message, struct stn_wire_bundle *bundle)
{
	enum stn_err err = parse_header(message, bundle, sizeof(*bundle));

	if (!err && (!bundle->count || bundle->count > message->payload_bytes ||
		     message->payload_bytes > STN_BUNDLE_BYTES))
		return STN_MALFORMED;
	return err;
}

enum stn_err
stn_wire_unpack_record(const struct stn_table *table,
		       const unsigned char **at_p, const unsigned char *end,
		       struct stn_record *record, size_t *bytes_p)
{
	size_t left = (size_t)(end - *at_p), memory, inputs, bytes;
	const struct stn_task *task;

	if (left < STN_WIRE_BYTES)
		return STN_MALFORMED;
	memset(record, 0, sizeof(*record));
	memcpy((char *)record + STN_WIRE_AT, *at_p, STN_WIRE_BYTES);
	if (record->task_id >= table->count || record->request)
		return STN_MALFORMED;
	task = table->tasks[record->task_id];
	bytes = STN_WIRE_BYTES + task->argument_bytes;
	if (left < bytes)
		return STN_MALFORMED;
	memcpy(record->arguments, *at_p + STN_WIRE_BYTES, task->argument_bytes);
	if (stn_buffers_measure(task, record, &memory, &inputs) ||
	    inputs > left - bytes)
		return STN_MALFORMED;
	record->task = task;
	*at_p += bytes;
	*bytes_p = inputs;
	return STN_OK;
}

enum stn_err
stn_wire_unpack_result(const unsigned char **at_p, const unsigned char *end,
		       struct stn_wire_bundled *result)
{
	size_t left = (size_t)(end - *at_p);

	if (left < sizeof(*result))
		return STN_MALFORMED;
	memcpy(result, *at_p, sizeof(*result));
	if (result->bytes > left - sizeof(*result))
		return STN_MALFORMED;
	*at_p += sizeof(*result);
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
		    message->payload_bytes != STN_PROBE_BYTES)
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
	case STN_MOVED:
		if (message->payload_bytes)
			return STN_MALFORMED;
		return parse_header(message, &wire->moved, sizeof(wire->moved));
	case STN_WHERE:
	case STN_GONE:
		if (message->payload_bytes)
			return STN_MALFORMED;
		return parse_header(message, &wire->result,
				    sizeof(wire->result));
	case STN_FETCH:
		if (message->payload_bytes)
			return STN_MALFORMED;
		return parse_header(message, &wire->fetch, sizeof(wire->fetch));
	case STN_DEPOSIT:
		return parse_deposit(message, &wire->deposit);
	case STN_RUN:
		if (message->payload_bytes)
			return STN_MALFORMED;
		return parse_header(message, &wire->run, sizeof(wire->run));
	case STN_SPAN:
		if (message->payload_bytes)
			return STN_MALFORMED;
		return parse_header(message, &wire->span, sizeof(wire->span));
	case STN_CLAIMED:
		if (message->payload_bytes)
			return STN_MALFORMED;
		return parse_header(message, &wire->claimed,
				    sizeof(wire->claimed));
	case STN_BUNDLE:
	case STN_RESULTS:
		return parse_bundle(message, &wire->bundle);
	case STN_TAKEN:
		if (message->payload_bytes)
			return STN_MALFORMED;
		return parse_header(message, NULL, 0);
	}
	return STN_MALFORMED;
}
