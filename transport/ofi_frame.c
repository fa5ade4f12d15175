#include "transport/ofi_frame.h"

#include <string.h>

_Static_assert(sizeof(struct ofi_frame) == 16, "as in the table");
_Static_assert(sizeof(struct ofi_region) == 24, "as in the table");
_Static_assert(STN_HEADER_BYTES + sizeof(struct ofi_offer_block) <=
		       OFI_EAGER_BYTES,
	       "an offer arrives in one piece");

static enum stn_err
parse_offer(const unsigned char *bytes, size_t size, struct ofi_parsed *parsed)
{
	struct ofi_offer_block *offer = &parsed->offer;
	uint64_t left = parsed->frame.payload_bytes;

	if (size < OFI_OFFER_BYTES(0) || size > sizeof(*offer))
		return STN_MALFORMED;
	memcpy(offer, bytes, size);
	if (!offer->count || offer->count > OFI_REGIONS ||
	    size != OFI_OFFER_BYTES(offer->count))
		return STN_MALFORMED;
	for (uint64_t i = 0; i < offer->count; i++) {
		if (!offer->regions[i].bytes || offer->regions[i].bytes > left)
			return STN_MALFORMED;
		left -= offer->regions[i].bytes;
	}
	return left ? STN_MALFORMED : STN_OK;
}

static enum stn_err
parse_done(const unsigned char *bytes, size_t size, struct ofi_parsed *parsed)
{
	if (parsed->frame.header_bytes || parsed->frame.payload_bytes ||
	    size != sizeof(parsed->done))
		return STN_MALFORMED;
	memcpy(&parsed->done, bytes, size);
	return STN_OK;
}

enum stn_err
ofi_frame_parse(const unsigned char *bytes, size_t size, uint32_t nodes,
		struct ofi_parsed *parsed)
{
	struct ofi_frame *frame = &parsed->frame;
	const unsigned char *rest;

	memset(frame, 0, sizeof(*frame));
	if (size < sizeof(*frame))
		return STN_MALFORMED;
	memcpy(frame, bytes, sizeof(*frame));
	if (frame->from >= nodes) {
		frame->from = 0;
		return STN_MALFORMED;
	}
	size -= sizeof(*frame);
	if (frame->header_bytes > STN_HEADER_BYTES ||
	    frame->header_bytes > size)
		return STN_MALFORMED;
	parsed->header = bytes + sizeof(*frame);
	rest = parsed->header + frame->header_bytes;
	size -= frame->header_bytes;
	switch (frame->type) {
	case OFI_EAGER:
		parsed->payload = rest;
		return size == frame->payload_bytes ? STN_OK : STN_MALFORMED;
	case OFI_OFFER:
		return parse_offer(rest, size, parsed);
	case OFI_DONE:
		return parse_done(rest, size, parsed);
	}
	return STN_MALFORMED;
}
