/*
 * fuzz_packet.c: any bytes are parsed as a packet that keeps the promises of
 * packet.h, or are rejected.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "transport/packet.h"

#define NODES 4

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

/* The parser reads only the first STN_PARSED_BYTES bytes. */
static void
check_beginning(const uint8_t *data, size_t size, enum stn_err err)
{
	uint8_t *beginning = malloc(STN_PARSED_BYTES);
	struct stn_parsed parsed;

	if (!beginning)
		abort();
	if (size)
		memcpy(beginning, data,
		       size < STN_PARSED_BYTES ? size : STN_PARSED_BYTES);
	require(stn_packet_parse_streamed(beginning, size, NODES, &parsed) ==
		err);
	free(beginning);
}

static void
fuzz_packet(const uint8_t *data, size_t size)
{
	struct stn_parsed parsed, other;
	enum stn_err err =
		stn_packet_parse_streamed(data, size, NODES, &parsed);

	require(parsed.packet.from < NODES);
	check_beginning(data, size, err);
	require(stn_packet_parse(data, size, NODES, &other) ==
		(parsed.packet.type > STN_PACKET_DONE ? STN_MALFORMED : err));
	if (err)
		return;
	require(parsed.header == data + STN_PACKET_BYTES &&
		parsed.packet.header_bytes <= STN_HEADER_BYTES &&
		parsed.packet.header_bytes <= size - STN_PACKET_BYTES);
	switch (parsed.packet.type) {
	case STN_PACKET_EAGER:
	case STN_PACKET_DATA:
		require(parsed.payload >= parsed.header &&
			parsed.payload + parsed.packet.payload_bytes ==
				data + size);
		break;
	case STN_PACKET_OFFER:
		check_offer(&parsed);
		break;
	default:
		require((parsed.packet.type == STN_PACKET_DONE ||
			 parsed.packet.type == STN_PACKET_PULL) &&
			!parsed.packet.payload_bytes);
	}
}

/* A packet in two pieces is parsed like the same packet in one piece. */
static void
fuzz_split(const uint8_t *data, size_t size)
{
	struct stn_parsed whole, split;
	enum stn_err err;

	if (size < STN_PACKET_BYTES)
		return;
	err = stn_packet_parse(data, size, NODES, &whole);
	require(err == stn_packet_parse_split(data, data + STN_PACKET_BYTES,
					      size - STN_PACKET_BYTES, NODES,
					      &split));
	require(whole.packet.from == split.packet.from);
}

static void
fuzz_kept(const uint8_t *data, size_t size)
{
	struct stn_parsed parsed;
	enum stn_err err = stn_packet_parse_kept(data, size, NODES, &parsed);

	require(parsed.packet.from < NODES);
	if (err)
		return;
	require(parsed.packet.type == STN_PACKET_KEPT &&
		parsed.header == data + STN_PACKET_BYTES &&
		parsed.packet.header_bytes <= STN_HEADER_BYTES &&
		size == STN_PACKET_BYTES + parsed.packet.header_bytes +
				sizeof(parsed.token));
}

static void
fuzz_connect(const uint8_t *data, size_t size)
{
	const struct stn_connect_block *connect;
	struct stn_parsed parsed;
	enum stn_err err = stn_packet_parse_connect(data, size, NODES, &parsed);

	require(parsed.packet.from < NODES);
	if (err)
		return;
	connect = &parsed.connect;
	require(parsed.packet.type == STN_PACKET_CONNECT &&
		size == STN_PACKET_BYTES + sizeof(*connect));
	require(connect->pair < 1 << 24 && connect->first < 1 << 24 &&
		connect->joined <= 1 && connect->asks <= 1);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_packet(data, size);
	fuzz_split(data, size);
	fuzz_kept(data, size);
	fuzz_connect(data, size);
	return 0;
}
