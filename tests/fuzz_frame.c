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
#include "transport/packet.h"
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
check_offer(const struct stn_parsed *parsed)
{
	uint64_t left = parsed->packet.payload_bytes;

	require(parsed->offer.count && parsed->offer.count <= STN_REGIONS);
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
	struct stn_parsed parsed;
	enum stn_err err = stn_packet_parse(data, size, NODES, &parsed);

	require(parsed.packet.from < NODES);
	if (err)
		return;
	require(parsed.header == data + STN_PACKET_BYTES &&
		parsed.packet.header_bytes <= STN_HEADER_BYTES &&
		parsed.packet.header_bytes <= size - STN_PACKET_BYTES);
	if (parsed.packet.type == STN_PACKET_EAGER)
		require(parsed.payload + parsed.packet.payload_bytes ==
			data + size);
	else if (parsed.packet.type == STN_PACKET_OFFER)
		check_offer(&parsed);
	else
		require(parsed.packet.type == STN_PACKET_DONE &&
			!parsed.packet.payload_bytes);
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
