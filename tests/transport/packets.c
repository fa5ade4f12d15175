/*
 * packets.c: the parsers of packets of every type, of whole packets, split
 * ones, and ones whose payload a library keeps. Well-formed packets are
 * accepted, and rejected after each possible fault.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "transport/packet.h"

static struct stn_parsed parsed;

/* A packet as the table in packet.h describes it, and the bytes after it. */
struct wire {
	struct stn_packet packet;
	unsigned char rest[STN_HEADER_BYTES + 600];
};

typedef enum stn_err parser(const unsigned char *bytes, size_t size,
			    uint32_t nodes, struct stn_parsed *parsed);

/*
 * Parses bytes that end where their memory ends, so that ASan sees reads
 * beyond.
 */
static enum stn_err
parse_by(parser *parse, const struct wire *wire, size_t size, uint32_t nodes)
{
	unsigned char *bytes = malloc(size ? size : 1);
	enum stn_err err;

	memcpy(bytes, wire, size);
	memset(&parsed, 0xee, sizeof(parsed));
	err = parse(bytes, size, nodes, &parsed);
	if (parsed.packet.from >= nodes)
		err = STN_OK; /* a fault: from must be a rank in any case */
	else if (!err && (parsed.header != bytes + 16 ||
			  memcmp(parsed.header, wire->rest,
				 parsed.packet.header_bytes)))
		err = STN_IO; /* a fault: header must point to the header */
	free(bytes);
	return err;
}

static enum stn_err
parse_whole(const struct wire *wire, size_t size, uint32_t nodes)
{
	return parse_by(stn_packet_parse, wire, size, nodes);
}

static void
test_eager(void)
{
	struct wire wire = { { 2, 7, STN_PACKET_EAGER, 10, 30 }, "a header" };

	tap_ok(!parse_whole(&wire, 56, 3) && parsed.packet.kind == 7 &&
		       parsed.packet.from == 2 &&
		       parsed.payload - parsed.header == 10,
	       "an eager packet consists of its header and its payload");
	tap_ok(parse_whole(&wire, 55, 3) && parse_whole(&wire, 57, 3) &&
		       parse_whole(&wire, 26, 3) && parse_whole(&wire, 25, 3),
	       "it is rejected with fewer or more bytes");
	tap_ok(parse_whole(&wire, 15, 3) && parse_whole(&wire, 0, 3),
	       "less than a packet is rejected");
	tap_ok(parse_whole(&wire, 56, 2) && !parsed.packet.from,
	       "a packet from a node that doesn't exist is rejected");
	wire.packet.payload_bytes = UINT64_MAX;
	tap_ok(parse_whole(&wire, 56, 3),
	       "a payload size of 2^64 - 1 is rejected");
	wire.packet = (struct stn_packet){ 0, 7, STN_PACKET_EAGER, 129, 0 };
	tap_ok(parse_whole(&wire, 16 + 129, 3),
	       "a header of 129 bytes is rejected");
	wire.packet.header_bytes = 128;
	tap_ok(!parse_whole(&wire, 16 + 128, 3),
	       "a header of 128 bytes is accepted");
	wire.packet.type = STN_PACKET_KEPT + 1;
	tap_ok(parse_whole(&wire, 16 + 128, 3),
	       "a packet of an unknown type is rejected");
}

/* An offer of @count regions of 100 bytes each; returns the packet's size. */
static size_t
make_offer(struct wire *wire, uint64_t count)
{
	struct stn_offer_block block = { .token = 77, .count = count };

	for (uint64_t i = 0; i < STN_REGIONS; i++)
		block.regions[i] = (struct stn_region){ 4096 * i, i, 100 };
	memset(wire, 0, sizeof(*wire));
	wire->packet =
		(struct stn_packet){ 1, 7, STN_PACKET_OFFER, 5, 100 * count };
	memcpy(wire->rest + 5, &block, sizeof(block));
	return 16 + 5 + 16 + 24 * (size_t)count;
}

static void
set_region(struct wire *wire, size_t region, uint64_t bytes)
{
	memcpy(wire->rest + 5 + 16 + 24 * region + 16, &bytes, sizeof(bytes));
}

static void
test_offer(void)
{
	struct wire wire;
	size_t size = make_offer(&wire, STN_REGIONS);

	tap_ok(!parse_whole(&wire, size, 2) && parsed.offer.token == 77 &&
		       parsed.offer.count == STN_REGIONS &&
		       parsed.offer.regions[7].address == 4096 * 7 &&
		       parsed.offer.regions[7].bytes == 100,
	       "an offer names its token and its regions");
	tap_ok(parse_whole(&wire, size - 1, 2) &&
		       parse_whole(&wire, size + 1, 2) &&
		       parse_whole(&wire, 16 + 5 + 15, 2),
	       "it is rejected if regions are missing, or more bytes follow");
	wire.packet.payload_bytes++;
	tap_ok(parse_whole(&wire, size, 2),
	       "it is rejected if the regions hold less than the payload");
	wire.packet.payload_bytes -= 2;
	tap_ok(parse_whole(&wire, size, 2), "it is rejected if they hold more");
	make_offer(&wire, STN_REGIONS);
	set_region(&wire, 3, 0);
	set_region(&wire, 4, 200);
	tap_ok(parse_whole(&wire, size, 2),
	       "it is rejected if a region is empty");
	set_region(&wire, 3, UINT64_MAX);
	set_region(&wire, 4, 201);
	tap_ok(parse_whole(&wire, size, 2),
	       "it is rejected if the sum of the regions wraps around");
	size = make_offer(&wire, STN_REGIONS + 1);
	tap_ok(parse_whole(&wire, size, 2),
	       "it is rejected with too many regions");
	size = make_offer(&wire, 0);
	tap_ok(parse_whole(&wire, size, 2), "it is rejected without regions");
	size = make_offer(&wire, 2);
	tap_ok(!parse_whole(&wire, size, 2), "it is accepted with two regions");
	memset(wire.rest + 5 + 8, 0xff, 8);
	tap_ok(parse_whole(&wire, size, 2),
	       "it is rejected with 2^64 - 1 regions");
}

static void
test_done(void)
{
	struct wire wire = { { 1, 0, STN_PACKET_DONE, 0, 0 }, { 9 } };

	wire.rest[8] = 1;
	tap_ok(!parse_whole(&wire, 32, 2) && parsed.done.token == 9 &&
		       parsed.done.status == 1,
	       "an offer's end names its token and its status");
	tap_ok(parse_whole(&wire, 31, 2) && parse_whole(&wire, 33, 2),
	       "it is rejected with fewer or more bytes");
	wire.packet.header_bytes = 1;
	tap_ok(parse_whole(&wire, 33, 2), "it is rejected with a header");
	wire.packet.header_bytes = 0;
	wire.packet.payload_bytes = 1;
	tap_ok(parse_whole(&wire, 32, 2), "it is rejected with a payload");
}

#define CONNECT_BYTES (STN_PACKET_BYTES + sizeof(struct stn_connect_block))

static enum stn_err
parse_connect(const struct wire *wire, size_t size, uint32_t nodes)
{
	return parse_by(stn_packet_parse_connect, wire, size, nodes);
}

static struct wire
make_connect(uint32_t pair, uint32_t first, uint32_t joined, uint32_t asks)
{
	struct wire wire = { { 1, 0, STN_PACKET_CONNECT, 0, 0 }, { 0 } };
	const uint32_t block[] = { pair, first, joined, asks };

	memcpy(wire.rest, block, sizeof(block));
	return wire;
}

/* Is a connect of these numbers rejected? */
static bool
rejects(uint32_t pair, uint32_t first, uint32_t joined, uint32_t asks)
{
	struct wire wire = make_connect(pair, first, joined, asks);

	return parse_connect(&wire, CONNECT_BYTES, 2);
}

static void
test_connect(void)
{
	struct wire wire = make_connect(0xffffff, 5, 0, 1);

	tap_ok(!parse_connect(&wire, CONNECT_BYTES, 2) &&
		       parsed.packet.from == 1 &&
		       parsed.connect.pair == 0xffffff &&
		       parsed.connect.first == 5 && !parsed.connect.joined &&
		       parsed.connect.asks == 1,
	       "a connect names a queue pair and the state of the connection");
	tap_ok(parse_connect(&wire, CONNECT_BYTES - 1, 2) &&
		       parse_connect(&wire, CONNECT_BYTES + 1, 2) &&
		       parse_connect(&wire, 15, 2) &&
		       parse_connect(&wire, 0, 2),
	       "it is rejected with fewer or more bytes");
	tap_ok(parse_connect(&wire, CONNECT_BYTES, 1),
	       "it is rejected from a node that doesn't exist");
	tap_ok(parse_whole(&wire, CONNECT_BYTES, 2),
	       "it is rejected as a message over a connection");
	tap_ok(rejects(1 << 24, 0, 0, 0) && rejects(1, 1 << 24, 0, 0) &&
		       rejects(1, 1, 2, 0) && rejects(1, 1, 0, UINT32_MAX),
	       "it is rejected with impossible numbers");
	wire.packet.header_bytes = 1;
	tap_ok(parse_connect(&wire, CONNECT_BYTES + 1, 2),
	       "it is rejected with a header");
	wire.packet.header_bytes = 0;
	wire.packet.payload_bytes = 1;
	tap_ok(parse_connect(&wire, CONNECT_BYTES, 2),
	       "it is rejected with a payload");
	wire.packet = (struct stn_packet){ 1, 0, STN_PACKET_DONE, 0, 0 };
	tap_ok(parse_connect(&wire, CONNECT_BYTES, 2),
	       "another message is rejected as a connect");
}

/*
 * Packets of transports in which the sender streams payloads, as it can't be
 * read from.
 */
static enum stn_err
parse_streamed(const struct wire *wire, size_t size)
{
	return parse_by(stn_packet_parse_streamed, wire, size, 2);
}

static void
test_pull(void)
{
	struct wire wire = { { 1, 0, STN_PACKET_PULL, 0, 0 }, { 9 } };

	tap_ok(!parse_streamed(&wire, 24) && parsed.token == 9,
	       "a pull names its offer's token");
	tap_ok(parse_whole(&wire, 24, 2),
	       "only the parser of streamed packets accepts it");
	tap_ok(parse_streamed(&wire, 23) && parse_streamed(&wire, 25) &&
		       parse_streamed(&wire, 16),
	       "it is rejected with fewer or more bytes");
	wire.packet.header_bytes = 1;
	tap_ok(parse_streamed(&wire, 25), "it is rejected with a header");
	wire.packet.header_bytes = 0;
	wire.packet.payload_bytes = 1;
	tap_ok(parse_streamed(&wire, 24) && parse_streamed(&wire, 25),
	       "it is rejected with a payload");
}

static void
test_data(void)
{
	struct wire wire = { { 1, 0, STN_PACKET_DATA, 0, 30 }, { 9 } };

	tap_ok(!parse_streamed(&wire, 16 + 40 + 30) && parsed.token == 9 &&
		       parsed.packet.payload_bytes == 30,
	       "a data packet consists of a token, a gap and a part of a "
	       "payload");
	tap_ok(parse_whole(&wire, 16 + 40 + 30, 2),
	       "only the parser of streamed packets accepts it");
	tap_ok(parse_streamed(&wire, 16 + 40 + 29) &&
		       parse_streamed(&wire, 16 + 40 + 31) &&
		       parse_streamed(&wire, 16 + 30) &&
		       parse_streamed(&wire, 16 + 39),
	       "it is rejected with fewer or more bytes");
	wire.packet.payload_bytes = 0;
	tap_ok(parse_streamed(&wire, 16 + 40),
	       "it is rejected without payload");
	wire.packet.payload_bytes = UINT64_MAX;
	tap_ok(parse_streamed(&wire, 16 + 39) && parse_streamed(&wire, 16 + 40),
	       "it is rejected with a payload size of 2^64 - 1");
	wire.packet.payload_bytes = 30;
	wire.packet.header_bytes = 1;
	tap_ok(parse_streamed(&wire, 16 + 1 + 40 + 30),
	       "it is rejected with a header");
}

/* Both pieces end where their memory ends, so that ASan sees reads beyond. */
static enum stn_err
parse_split(const struct wire *wire, size_t size, uint32_t nodes)
{
	unsigned char *head = malloc(16), *rest = malloc(size ? size : 1);
	enum stn_err err;

	memcpy(head, &wire->packet, 16);
	memcpy(rest, wire->rest, size);
	memset(&parsed, 0xee, sizeof(parsed));
	err = stn_packet_parse_split(head, rest, size, nodes, &parsed);
	if (parsed.packet.from >= nodes)
		err = STN_OK; /* a fault: from must be a rank in any case */
	else if (!err && parsed.header != rest)
		err = STN_IO; /* a fault: header must point to the header */
	free(head);
	free(rest);
	return err;
}

static void
test_split(void)
{
	struct wire wire = { { 2, 7, STN_PACKET_EAGER, 10, 30 }, "a header" };
	const struct stn_done_block done = { 9, 1 };

	tap_ok(!parse_split(&wire, 40, 3) && parsed.packet.kind == 7 &&
		       parsed.payload - parsed.header == 10,
	       "a packet in two pieces is parsed like a whole one");
	tap_ok(parse_split(&wire, 39, 3) && parse_split(&wire, 41, 3) &&
		       parse_split(&wire, 10, 3) && parse_split(&wire, 9, 3) &&
		       parse_split(&wire, 0, 3),
	       "it is rejected with fewer or more bytes");
	tap_ok(parse_split(&wire, 40, 2) && !parsed.packet.from,
	       "it is rejected from a node that doesn't exist");
	wire.packet.payload_bytes = UINT64_MAX;
	tap_ok(parse_split(&wire, 40, 3),
	       "it is rejected with a payload size of 2^64 - 1");
	wire.packet.header_bytes = UINT16_MAX;
	tap_ok(parse_split(&wire, 40, 3),
	       "it is rejected with a header of 65535 bytes");
	wire.packet = (struct stn_packet){ 1, 0, STN_PACKET_DONE, 0, 0 };
	memcpy(wire.rest, &done, sizeof(done));
	tap_ok(!parse_split(&wire, 16, 2) && parsed.done.token == 9 &&
		       parse_split(&wire, 15, 2) && parse_split(&wire, 17, 2),
	       "an offer's end in two pieces is parsed like a whole one");
	wire.packet.type = STN_PACKET_KEPT;
	tap_ok(parse_split(&wire, 8, 2),
	       "a packet with a kept payload is never in two pieces");
}

static enum stn_err
parse_kept(const struct wire *wire, size_t size, uint32_t nodes)
{
	return parse_by(stn_packet_parse_kept, wire, size, nodes);
}

static void
test_kept(void)
{
	struct wire wire = { { 1, 7, STN_PACKET_KEPT, 5, 100000 }, "headr" };
	const uint64_t token = 77;

	memcpy(wire.rest + 5, &token, sizeof(token));
	tap_ok(!parse_kept(&wire, 16 + 5 + 8, 2) && parsed.token == 77,
	       "a packet whose payload is kept has a header and a token");
	tap_ok(parse_whole(&wire, 16 + 5 + 8, 2),
	       "only its own parser accepts it");
	tap_ok(parse_kept(&wire, 16 + 5 + 7, 2) &&
		       parse_kept(&wire, 16 + 5 + 9, 2) &&
		       parse_kept(&wire, 16 + 4, 2) &&
		       parse_kept(&wire, 15, 2) && parse_kept(&wire, 0, 2),
	       "it is rejected with fewer or more bytes");
	tap_ok(parse_kept(&wire, 16 + 5 + 8, 1) && !parsed.packet.from,
	       "it is rejected from a node that doesn't exist");
	wire.packet.type = STN_PACKET_EAGER;
	tap_ok(parse_kept(&wire, 16 + 5 + 8, 2),
	       "its parser rejects a packet of another type");
}

int
main(void)
{
	tap_begin();
	test_eager();
	test_offer();
	test_done();
	test_connect();
	test_pull();
	test_data();
	test_split();
	test_kept();
	return tap_end();
}
