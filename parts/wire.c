#include "parts/wire.h"

#include <string.h>

#include "parts/fold.h"
#include "parts/history.h"

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
	{ STN_PARTS_KIND_KNOW, "know", .numbered = false },
	{ STN_PARTS_KIND_HOMES, "homes", .numbered = true,
	  .number_at = offsetof(struct stn_parts_homes, round) },
	{ STN_PARTS_KIND_NOTED, "noted", .numbered = true,
	  .number_at = offsetof(struct stn_parts_homes, round) },
	{ STN_PARTS_KIND_CLEAR, "clear", .numbered = false },
	{ STN_PARTS_KIND_OUTCOME, "outcome", .numbered = true,
	  .number_at = offsetof(struct stn_parts_outcome, number) },
	{ STN_PARTS_KIND_COPY, "copy", .numbered = true,
	  .number_at = offsetof(struct stn_parts_copy, part) },
	{ STN_PARTS_KIND_SAFE, "safe", .numbered = true,
	  .number_at = offsetof(struct stn_parts_safe, parts) },
	{ STN_PARTS_KIND_VERSION, "version", .numbered = false },
	{ STN_PARTS_KIND_COLLECTED, "collected", .numbered = true,
	  .number_at = offsetof(struct stn_parts_points, part) },
	{ STN_PARTS_KIND_DEALT, "dealt", .numbered = true,
	  .number_at = offsetof(struct stn_parts_points, part) },
	{ STN_PARTS_KIND_FETCH, "fetch-points", .numbered = true,
	  .number_at = offsetof(struct stn_parts_points, part) },
	{ STN_PARTS_KIND_PLAN, "plan", .numbered = true,
	  .number_at = offsetof(struct stn_parts_plan, serial) },
	{ STN_PARTS_KIND_ROWS, "rows", .numbered = true,
	  .number_at = offsetof(struct stn_parts_rows, serial) },
	{ STN_PARTS_KIND_WANT, "want", .numbered = true,
	  .number_at = offsetof(struct stn_parts_want, number) },
	{ STN_PARTS_KIND_BLOCK, "block", .numbered = true,
	  .number_at = offsetof(struct stn_parts_block, part) },
	{ STN_PARTS_KIND_STORED, "stored", .numbered = true,
	  .number_at = offsetof(struct stn_parts_stored, left) },
	{ STN_PARTS_KIND_REVIVE, "revive", .numbered = false },
	{ STN_PARTS_KIND_NEED, "need", .numbered = true,
	  .number_at = offsetof(struct stn_parts_need, part) },
	{ STN_PARTS_KIND_REVIVED, "revived", .numbered = true,
	  .number_at = offsetof(struct stn_parts_need, part) },
};

/* Bytes of a header of each kind, and of what its payload consists. */
static const struct {
	size_t bytes, payload; /* payload 0: none; 1: any */
} forms[STN_PARTS_KINDS] = {
	{ sizeof(struct stn_parts_create), 0 },
	{ sizeof(struct stn_parts_operate), 0 },
	{ sizeof(struct stn_parts_finished), sizeof(struct stn_fold) },
	{ sizeof(struct stn_parts_piece), 1 },
	{ sizeof(struct stn_parts_give), 1 },
	{ sizeof(struct stn_parts_moved), 0 },
	{ sizeof(struct stn_parts_ask), 0 },
	{ sizeof(struct stn_parts_ask), 0 },
	{ sizeof(struct stn_parts_speed), 0 },
	{ sizeof(struct stn_parts_recut), sizeof(uint32_t) },
	{ sizeof(struct stn_parts_know), 1 },
	{ sizeof(struct stn_parts_homes), sizeof(struct stn_home) },
	{ sizeof(struct stn_parts_homes), 0 },
	{ sizeof(struct stn_parts_clear), 0 },
	{ sizeof(struct stn_parts_outcome), 0 },
	{ sizeof(struct stn_parts_copy), 1 },
	{ sizeof(struct stn_parts_safe), 0 },
	{ sizeof(struct stn_parts_version), 0 },
	{ sizeof(struct stn_parts_points), 1 },
	{ sizeof(struct stn_parts_points), 1 },
	{ sizeof(struct stn_parts_points), 0 },
	{ sizeof(struct stn_parts_plan), 1 },
	{ sizeof(struct stn_parts_rows), 1 },
	{ sizeof(struct stn_parts_want), sizeof(uint32_t) },
	{ sizeof(struct stn_parts_block), 1 },
	{ sizeof(struct stn_parts_stored), 1 },
	{ sizeof(struct stn_parts_revive), 1 },
	{ sizeof(struct stn_parts_need), 0 },
	{ sizeof(struct stn_parts_need), 1 },
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

enum stn_err
stn_parts_operate_check(const struct stn_parts_operate *operate,
			const struct stn_table *table)
{
	switch (operate->what) {
	case STN_PARTS_FREE:
	case STN_PARTS_REFRESH:
		return operate->argument_bytes ? STN_MALFORMED : STN_OK;
	case STN_PARTS_DEAL:
		return check_range(operate);
	}
	if (operate->what > STN_PARTS_REFRESH && operate->what < STN_CELLS_END)
		return operate->argument_bytes == sizeof(struct stn_cells_order)
			       ? STN_OK
			       : STN_MALFORMED;
	if (operate->what > STN_PARTS_SUMMARISE ||
	    operate->task_id >= table->count ||
	    operate->argument_bytes !=
		    table->tasks[operate->task_id]->argument_bytes)
		return STN_MALFORMED;
	return STN_OK;
}

static enum stn_err
check_create(const struct stn_parts_create *create)
{
	return create->star > 1 || create->periodic > 1 ||
			       create->progress > 1 ||
			       create->copied > (STN_COPIED_IN_MEMORY |
						 STN_COPIED_TO_DISK)
		       ? STN_MALFORMED
		       : STN_OK;
}

/* The payload is known to have this size before anything is allocated. */
static enum stn_err
check_know(const struct stn_parts_know *know, size_t bytes)
{
	return know->orders <= know->calls &&
			       bytes ==
				       sizeof(struct stn_parts_known) +
					       know->calls *
						       sizeof(struct stn_call) +
					       know->orders *
						       sizeof(struct
							      stn_order) +
					       know->homes *
						       sizeof(struct stn_home)
		       ? STN_OK
		       : STN_MALFORMED;
}

/* The payload begins with @count entries of @bytes. */
static enum stn_err
check_list(uint64_t count, uint64_t bytes, size_t payload)
{
	return count * bytes <= payload ? STN_OK : STN_MALFORMED;
}

enum stn_err
stn_parts_wire_parse(const struct stn_message *message,
		     const struct stn_table *table, struct stn_parts_wire *wire)
{
	unsigned form = form_of(message->kind);
	size_t payload = message->payload_bytes;

	if (form >= STN_PARTS_KINDS ||
	    message->header_bytes != forms[form].bytes ||
	    (payload &&
	     (!forms[form].payload || payload % forms[form].payload)))
		return STN_MALFORMED;
	wire->kind = message->kind;
	memcpy(&wire->create, message->header, message->header_bytes);
	wire->array = wire->create.array; /* each header begins with it */
	if (wire->kind == STN_PARTS_KIND_CREATE)
		return check_create(&wire->create);
	if (wire->kind == STN_PARTS_KIND_OPERATE)
		return stn_parts_operate_check(&wire->operate, table);
	if (wire->kind == STN_PARTS_KIND_KNOW)
		return check_know(&wire->know, payload);
	if (wire->kind == STN_PARTS_KIND_STORED)
		return check_list(wire->stored.runs, 8, payload);
	if (wire->kind == STN_PARTS_KIND_REVIVE)
		return check_list(wire->revive.holders, sizeof(struct stn_home),
				  payload);
	return STN_OK;
}

enum stn_err
stn_parts_known_check(const struct stn_parts_known *known,
		      const struct stn_table *table)
{
	if (check_create(&known->create))
		return STN_MALFORMED;
	if (known->boundary.number &&
	    (known->boundary.what != STN_PARTS_BOUNDARY ||
	     stn_parts_operate_check(&known->boundary, table)))
		return STN_MALFORMED;
	return known->active ? stn_parts_operate_check(&known->operate, table)
			     : STN_OK;
}
