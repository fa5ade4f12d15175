#include "parts/hector/wire.h"

#include <string.h>

const struct stn_kind stn_hector_kinds[STN_HECTOR_KINDS] = {
	{ STN_HECTOR_REPORT, "report", .numbered = true,
	  .number_at = offsetof(struct stn_hector_report, number) },
	{ STN_HECTOR_MIGRATE, "migrate", .numbered = true,
	  .number_at = offsetof(struct stn_hector_migrate, set) },
	{ STN_HECTOR_SET, "set", .numbered = true,
	  .number_at = offsetof(struct stn_hector_migrate, set) },
	{ STN_HECTOR_STATE, "set-state", .numbered = false },
	{ STN_HECTOR_MOVED, "set-moved", .numbered = true,
	  .number_at = offsetof(struct stn_hector_moved, set) },
	{ STN_HECTOR_REQUEST, "fractile-ask", .numbered = true,
	  .number_at = offsetof(struct stn_parts_ask, next) },
	{ STN_HECTOR_REGISTER, "register", .numbered = true,
	  .number_at = offsetof(struct stn_hector_migrate, set) },
};

static const size_t sizes[STN_HECTOR_KINDS] = {
	sizeof(struct stn_hector_report),  sizeof(struct stn_hector_migrate),
	sizeof(struct stn_hector_migrate), sizeof(struct stn_hector_state),
	sizeof(struct stn_hector_moved),   sizeof(struct stn_parts_ask),
	sizeof(struct stn_hector_migrate),
};

static bool
report_is_possible(const struct stn_hector_report *report, uint32_t nodes)
{
	for (int i = 0; i < STN_PARTNERS; i++)
		if (report->partners[i] >= nodes &&
		    report->partners[i] != STN_NOBODY)
			return false;
	return (report->set < nodes || report->set == STN_NOBODY) &&
	       report->share >= 0 && report->share <= 1;
}

enum stn_err
stn_hector_parse(const struct stn_message *message, uint32_t nodes,
		 struct stn_hector_wire *wire)
{
	unsigned form = message->kind - STN_HECTOR_REPORT;
	bool possible = true;

	if (form >= STN_HECTOR_KINDS || message->header_bytes != sizes[form] ||
	    (message->payload_bytes && message->kind != STN_HECTOR_STATE))
		return STN_MALFORMED;
	wire->kind = message->kind;
	memcpy(&wire->report, message->header, message->header_bytes);
	switch (message->kind) {
	case STN_HECTOR_REPORT:
		possible = report_is_possible(&wire->report, nodes);
		break;
	case STN_HECTOR_MIGRATE:
	case STN_HECTOR_SET:
	case STN_HECTOR_REGISTER:
		possible =
			wire->migrate.set < nodes && wire->migrate.to < nodes;
		break;
	case STN_HECTOR_MOVED:
		possible = wire->moved.set < nodes && wire->moved.to < nodes;
		break;
	case STN_HECTOR_REQUEST:
		possible = wire->ask.next < nodes;
		break;
	}
	return possible ? STN_OK : STN_MALFORMED;
}
