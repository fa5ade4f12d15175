#include "search/wire.h"

#include <string.h>

const struct stn_kind stn_search_kinds[STN_SEARCH_KINDS] = {
	{ .number = STN_IMPROVED, .name = "improve" },
	{ .number = STN_HAVE, .name = "have" },
};

size_t
stn_search_piece_bytes(const struct stn_search_improve *improve)
{
	size_t left = (size_t)improve->bytes - improve->at;

	return left < STN_SEARCH_PIECE_BYTES ? left : STN_SEARCH_PIECE_BYTES;
}

static enum stn_err
parse_improve(const struct stn_message *message, struct stn_search_piece *piece)
{
	const uint32_t flags = STN_SEARCH_FOUND | STN_SEARCH_ANSWER;
	const struct stn_search_improve *improve = &piece->improve;
	size_t bytes = message->header_bytes;

	if (bytes < sizeof(*improve) || bytes > sizeof(*piece))
		return STN_MALFORMED;
	memcpy(piece, message->header, bytes);
	if (improve->bytes > STN_WITNESS_BYTES ||
	    improve->at > improve->bytes ||
	    improve->at % STN_SEARCH_PIECE_BYTES || improve->flags & ~flags ||
	    bytes != sizeof(*improve) + stn_search_piece_bytes(improve))
		return STN_MALFORMED;
	return improve->flags & STN_SEARCH_FOUND || !improve->bytes
		       ? STN_OK
		       : STN_MALFORMED;
}

enum stn_err
stn_search_parse(const struct stn_message *message, union stn_search_wire *wire)
{
	if (message->payload_bytes)
		return STN_MALFORMED;
	if (message->kind == STN_IMPROVED)
		return parse_improve(message, &wire->piece);
	if (message->header_bytes != sizeof(wire->have))
		return STN_MALFORMED;
	memcpy(&wire->have, message->header, sizeof(wire->have));
	return wire->have.zero ? STN_MALFORMED : STN_OK;
}
