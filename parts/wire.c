#include "parts/wire.h"

#include <string.h>

#include "parts/fold.h"

const struct stn_kind stn_parts_kinds[STN_PARTS_KINDS] = {
	{ STN_PARTS_KIND_CREATE, "create", .numbered = false },
	{ STN_PARTS_KIND_OPERATE, "operate", .numbered = true,
	  .number_at = offsetof(struct stn_parts_operate, number) },
	{ STN_PARTS_KIND_FINISHED, "finished", .numbered = true,
	  .number_at = offsetof(struct stn_parts_finished, number) },
	{ STN_PARTS_KIND_PIECE, "piece", .numbered = true,
	  .number_at = offsetof(struct stn_parts_piece, to) },
	{ STN_PARTS_KIND_GIVE, "give", .numbered = true,
	  .number_at = offsetof(struct stn_parts_give, part) },
	{ STN_PARTS_KIND_MOVED, "part-moved", .numbered = true,
	  .number_at = offsetof(struct stn_parts_moved, part) },
	{ STN_PARTS_KIND_ASK, "ask", .numbered = false },
	{ STN_PARTS_KIND_NONE, "none", .numbered = false },
	{ STN_PARTS_KIND_SPEED, "speed", .numbered = true,
	  .number_at = offsetof(struct stn_parts_speed, round) },
	{ STN_PARTS_KIND_RECUT, "recut", .numbered = true,
	  .number_at = offsetof(struct stn_parts_recut, round) },
	{ STN_PARTS_KIND_COLLECTED, "collected", .numbered = true,
	  .number_at = offsetof(struct stn_parts_points, part) },
	{ STN_PARTS_KIND_DEALT, "dealt", .numbered = true,
	  .number_at = offsetof(struct stn_parts_points, part) },
};

/* Bytes of a header of each kind, and whether a payload may follow. */
static const struct {
	size_t bytes;
	bool payload;
} forms[STN_PARTS_KINDS] = {
	{ sizeof(struct stn_parts_create), false },
	{ sizeof(struct stn_parts_operate), false },
	{ sizeof(struct stn_parts_finished), true },
	{ sizeof(struct stn_parts_piece), true },
	{ sizeof(struct stn_parts_give), true },
	{ sizeof(struct stn_parts_moved), false },
	{ sizeof(struct stn_parts_ask), false },
	{ sizeof(struct stn_parts_ask), false },
	{ sizeof(struct stn_parts_speed), false },
	{ sizeof(struct stn_parts_recut), true },
	{ sizeof(struct stn_parts_points), true },
	{ sizeof(struct stn_parts_points), true },
};

/* The place of a kind in both tables; STN_PARTS_KINDS: it is in neither. */
static unsigned
form_of(uint8_t kind)
{
	unsigned form = 0;

	while (form < STN_PARTS_KINDS && stn_parts_kinds[form].number != kind)
		form++;
	return form;
}

static enum stn_err
check_range(const struct stn_parts_operate *operate)
{
	struct stn_parts_range range;

	if (operate->argument_bytes != sizeof(range))
		return STN_MALFORMED;
	memcpy(&range, operate->arguments, sizeof(range));
	return range.first <= range.end ? STN_OK : STN_MALFORMED;
}

static enum stn_err
check_operate(const struct stn_parts_operate *operate,
	      const struct stn_table *table)
{
	switch (operate->what) {
	case STN_PARTS_FREE:
	case STN_PARTS_REFRESH:
		return operate->argument_bytes ? STN_MALFORMED : STN_OK;
	case STN_PARTS_COLLECT:
	case STN_PARTS_DEAL:
		return check_range(operate);
	}
	if (operate->what > STN_PARTS_BOUNDARY || operate->task_id >= table->count ||
	    operate->argument_bytes !=
		    table->tasks[operate->task_id]->argument_bytes)
		return STN_MALFORMED;
	return STN_OK;
}

enum stn_err
stn_parts_wire_parse(const struct stn_message *message,
		     const struct stn_table *table, struct stn_parts_wire *wire)
{
	unsigned form = form_of(message->kind);

	if (form >= STN_PARTS_KINDS ||
	    message->header_bytes != forms[form].bytes ||
	    (message->payload_bytes && !forms[form].payload))
		return STN_MALFORMED;
	wire->kind = message->kind;
	memcpy(&wire->create, message->header, message->header_bytes);
	wire->array = wire->create.array; /* each header begins with it */
	if (wire->kind == STN_PARTS_KIND_OPERATE)
		return check_operate(&wire->operate, table);
	if (wire->kind == STN_PARTS_KIND_FINISHED &&
	    message->payload_bytes % sizeof(struct stn_fold))
		return STN_MALFORMED;
	return STN_OK;
}
