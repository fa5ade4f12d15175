/*
 * fuzz_frame.c: any bytes are a frame of libfabric's wire, or the body of a
 * launcher's CARDS frame, that keeps its promises, or are rejected.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <stdlib.h>

#include "transport/wireup_frame.h"
#ifdef HAVE_LIBFABRIC
#include "transport/ofi_frame.h"
#endif

#define NODES 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
require(bool kept)
{
	if (!kept)
		abort();
}

#ifdef HAVE_LIBFABRIC
static void
check_offer(const struct ofi_parsed *parsed)
{
	uint64_t left = parsed->frame.payload_bytes;

	require(parsed->offer.count && parsed->offer.count <= OFI_REGIONS);
	for (uint64_t i = 0; i < parsed->offer.count; i++) {
		require(parsed->offer.regions[i].bytes &&
			parsed->offer.regions[i].bytes <= left);
		left -= parsed->offer.regions[i].bytes;
	}
	require(!left);
}

static void
fuzz_ofi(const uint8_t *data, size_t size)
{
	struct ofi_parsed parsed;
	enum stn_err err = ofi_frame_parse(data, size, NODES, &parsed);

	require(parsed.frame.from < NODES);
	if (err)
		return;
	require(parsed.header == data + OFI_FRAME_BYTES &&
		parsed.frame.header_bytes <= STN_HEADER_BYTES &&
		parsed.frame.header_bytes <= size - OFI_FRAME_BYTES);
	if (parsed.frame.type == OFI_EAGER)
		require(parsed.payload + parsed.frame.payload_bytes ==
			data + size);
	else if (parsed.frame.type == OFI_OFFER)
		check_offer(&parsed);
	else
		require(parsed.frame.type == OFI_DONE &&
			!parsed.frame.payload_bytes);
}
#endif

static void
fuzz_cards(const uint8_t *data, size_t size)
{
	struct stn_card cards[NODES];
	size_t sum = 0;

	if (stn_frame_cards(data, size, cards, NODES))
		return;
	for (unsigned i = 0; i < NODES; i++) {
		require(cards[i].bytes >= data && cards[i].size <= size &&
			cards[i].bytes + cards[i].size <= data + size);
		sum += cards[i].size + 4;
	}
	require(sum == size);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
#ifdef HAVE_LIBFABRIC
	fuzz_ofi(data, size);
#endif
	fuzz_cards(data, size);
	return 0;
}
