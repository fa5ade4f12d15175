#include "constants/wire.h"

#include <string.h>

const struct stn_kind stn_constants_kinds[STN_CONSTANTS_KINDS] = {
	{ .number = STN_CONST_WANT, .name = "want-constant" },
	{ .number = STN_CONST_DATA, .name = "constant" },
	{ .number = STN_CONST_LACK, .name = "lack-constant" },
};

enum stn_err
stn_constants_parse(const struct stn_message *message, uint32_t nodes,
		    union stn_constants_wire *wire)
{
	bool want = message->kind == STN_CONST_WANT;
	size_t bytes = want ? sizeof(wire->want) : sizeof(wire->name);

	if (message->header_bytes != bytes ||
	    (message->kind != STN_CONST_DATA && message->payload_bytes))
		return STN_MALFORMED;
	memcpy(wire, message->header, bytes);
	if (want && (wire->want.source >= nodes || wire->want.zero))
		return STN_MALFORMED;
	return STN_OK;
}
