/*
 * packets.c: packets of every type, in one piece, in two, or without a payload
 * that a library keeps: well-formed ones are accepted, and then rejected for
 * each thing that can be wrong with them.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "transport/packet.h"

static struct stn_parsed parsed;

/* A packet as the table in packet.h has it, with this after the header. */
struct wire {
	struct stn_packet packet;
	unsigned char rest[STN_HEADER_BYTES + 600];
};

typedef enum stn_err parser(const unsigned char *bytes, size_t size,
			    uint32_t nodes, struct stn_parsed *parsed);

/* Puts the bytes where they end with the memory, so that ASan sees more. */
static enum stn_err
parse_by(parser *parse, const struct wire *wire, size_t size, uint32_t nodes)
{
	unsigned char *bytes = malloc(size ? size : 1);
	enum stn_err err;

	memcpy(bytes, wire, size);
	memset(&parsed, 0xee, sizeof(parsed));
	err = parse(bytes, size, nodes, &parsed);
	if (parsed.packet.from >= nodes)
		err = STN_OK; /* broken: it must be a rank in any case */
	else if (!err && (parsed.header != bytes + 16 ||
			  memcmp(parsed.header, wire->rest,
				 parsed.packet.header_bytes)))
		err = STN_IO; /* broken: this isn't the header */
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
	       "an eager frame is its header and its payload");
	tap_ok(parse_whole(&wire, 55, 3) && parse_whole(&wire, 57, 3) &&
		       parse_whole(&wire, 26, 3) && parse_whole(&wire, 25, 3),
	       "and nothing more or less");
	tap_ok(parse_whole(&wire, 15, 3) && parse_whole(&wire, 0, 3),
	       "less than a frame is rejected");
	tap_ok(parse_whole(&wire, 56, 2) && !parsed.packet.from,
	       "and so is one from a node that doesn't exist");
	wire.packet.payload_bytes = UINT64_MAX;
	tap_ok(parse_whole(&wire, 56, 3), "or with an endless payload");
	wire.packet = (struct stn_packet){ 0, 7, STN_PACKET_EAGER, 129, 0 };
	tap_ok(parse_whole(&wire, 16 + 129, 3), "or too long a header");
	wire.packet.header_bytes = 128;
	tap_ok(!parse_whole(&wire, 16 + 128, 3), "which may have 128 bytes");
	wire.packet.type = STN_PACKET_KEPT + 1;
	tap_ok(parse_whole(&wire, 16 + 128, 3), "or of an unknown type");
}

/* An offer of so many regions, of 100 bytes each. */
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
	       "it is rejected if regions are missing, or more follows");
	wire.packet.payload_bytes++;
	tap_ok(parse_whole(&wire, size, 2),
	       "or if they hold less than the payload");
	wire.packet.payload_bytes -= 2;
	tap_ok(parse_whole(&wire, size, 2), "or more");
	make_offer(&wire, STN_REGIONS);
	set_region(&wire, 3, 0);
	set_region(&wire, 4, 200);
	tap_ok(parse_whole(&wire, size, 2), "or if one is empty");
	set_region(&wire, 3, UINT64_MAX);
	set_region(&wire, 4, 201);
	tap_ok(parse_whole(&wire, size, 2), "or if the sum wraps");
	size = make_offer(&wire, STN_REGIONS + 1);
	tap_ok(parse_whole(&wire, size, 2), "or if they are too many");
	size = make_offer(&wire, 0);
	tap_ok(parse_whole(&wire, size, 2), "or none");
	size = make_offer(&wire, 2);
	tap_ok(!parse_whole(&wire, size, 2), "but two are fine");
	memset(wire.rest + 5 + 8, 0xff, 8);
	tap_ok(parse_whole(&wire, size, 2), "but not 2^64 - 1");
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
	       "and is rejected with fewer bytes, or more");
	wire.packet.header_bytes = 1;
	tap_ok(parse_whole(&wire, 33, 2), "or with a header");
	wire.packet.header_bytes = 0;
	wire.packet.payload_bytes = 1;
	tap_ok(parse_whole(&wire, 32, 2), "or with a payload");
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
	       "a connect names a pair of queues, and what is known of it");
	tap_ok(parse_connect(&wire, CONNECT_BYTES - 1, 2) &&
		       parse_connect(&wire, CONNECT_BYTES + 1, 2) &&
		       parse_connect(&wire, 15, 2) &&
		       parse_connect(&wire, 0, 2),
	       "and is rejected with fewer bytes, or more");
	tap_ok(parse_connect(&wire, CONNECT_BYTES, 1),
	       "or from a node that isn't there");
	tap_ok(parse_whole(&wire, CONNECT_BYTES, 2),
	       "or where a message should come, over a connection");
	tap_ok(rejects(1 << 24, 0, 0, 0) && rejects(1, 1 << 24, 0, 0) &&
		       rejects(1, 1, 2, 0) && rejects(1, 1, 0, UINT32_MAX),
	       "or if it says what can't be");
	wire.packet.header_bytes = 1;
	tap_ok(parse_connect(&wire, CONNECT_BYTES + 1, 2), "or with a header");
	wire.packet.header_bytes = 0;
	wire.packet.payload_bytes = 1;
	tap_ok(parse_connect(&wire, CONNECT_BYTES, 2), "or with a payload");
	wire.packet = (struct stn_packet){ 1, 0, STN_PACKET_DONE, 0, 0 };
	tap_ok(parse_connect(&wire, CONNECT_BYTES, 2),
	       "nor is a message a connect");
}

/* Frames that go where nobody can read. */
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
	tap_ok(parse_whole(&wire, 24, 2), "it comes where it is streamed only");
	tap_ok(parse_streamed(&wire, 23) && parse_streamed(&wire, 25) &&
		       parse_streamed(&wire, 16),
	       "and is rejected with fewer bytes, or more");
	wire.packet.header_bytes = 1;
	tap_ok(parse_streamed(&wire, 25), "or with a header");
	wire.packet.header_bytes = 0;
	wire.packet.payload_bytes = 1;
	tap_ok(parse_streamed(&wire, 24) && parse_streamed(&wire, 25),
	       "or with a payload");
}

static void
test_data(void)
{
	struct wire wire = { { 1, 0, STN_PACKET_DATA, 0, 30 }, { 9 } };

	tap_ok(!parse_streamed(&wire, 16 + 40 + 30) && parsed.token == 9 &&
		       parsed.packet.payload_bytes == 30,
	       "data are a token, a gap and a part of a payload");
	tap_ok(parse_whole(&wire, 16 + 40 + 30, 2), "and come there only, too");
	tap_ok(parse_streamed(&wire, 16 + 40 + 29) &&
		       parse_streamed(&wire, 16 + 40 + 31) &&
		       parse_streamed(&wire, 16 + 30) &&
		       parse_streamed(&wire, 16 + 39),
	       "and nothing more or less");
	wire.packet.payload_bytes = 0;
	tap_ok(parse_streamed(&wire, 16 + 40), "there is always some of it");
	wire.packet.payload_bytes = UINT64_MAX;
	tap_ok(parse_streamed(&wire, 16 + 39) && parse_streamed(&wire, 16 + 40),
	       "but never an endless one");
	wire.packet.payload_bytes = 30;
	wire.packet.header_bytes = 1;
	tap_ok(parse_streamed(&wire, 16 + 1 + 40 + 30), "nor any header");
}

/* Both pieces end with their memory, so that ASan sees more. */
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
		err = STN_OK; /* broken: it must be a rank in any case */
	else if (!err && parsed.header != rest)
		err = STN_IO; /* broken: this isn't the header */
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
	       "a packet in two pieces is what it is in one");
	tap_ok(parse_split(&wire, 39, 3) && parse_split(&wire, 41, 3) &&
		       parse_split(&wire, 10, 3) && parse_split(&wire, 9, 3) &&
		       parse_split(&wire, 0, 3),
	       "and nothing more or less");
	tap_ok(parse_split(&wire, 40, 2) && !parsed.packet.from,
	       "and from a node that exists");
	wire.packet.payload_bytes = UINT64_MAX;
	tap_ok(parse_split(&wire, 40, 3), "with no endless payload");
	wire.packet.header_bytes = UINT16_MAX;
	tap_ok(parse_split(&wire, 40, 3), "and no endless header");
	wire.packet = (struct stn_packet){ 1, 0, STN_PACKET_DONE, 0, 0 };
	memcpy(wire.rest, &done, sizeof(done));
	tap_ok(!parse_split(&wire, 16, 2) && parsed.done.token == 9 &&
		       parse_split(&wire, 15, 2) && parse_split(&wire, 17, 2),
	       "so it is with an offer's end");
	wire.packet.type = STN_PACKET_KEPT;
	tap_ok(parse_split(&wire, 8, 2), "but a kept payload is in one");
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
	       "of a kept payload there is a header and a token");
	tap_ok(parse_whole(&wire, 16 + 5 + 8, 2), "and no other parser's");
	tap_ok(parse_kept(&wire, 16 + 5 + 7, 2) &&
		       parse_kept(&wire, 16 + 5 + 9, 2) &&
		       parse_kept(&wire, 16 + 4, 2) &&
		       parse_kept(&wire, 15, 2) && parse_kept(&wire, 0, 2),
	       "and nothing more or less");
	tap_ok(parse_kept(&wire, 16 + 5 + 8, 1) && !parsed.packet.from,
	       "from a node that exists");
	wire.packet.type = STN_PACKET_EAGER;
	tap_ok(parse_kept(&wire, 16 + 5 + 8, 2), "nothing else is kept");
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
