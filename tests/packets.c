/*
 * packets.c: packets that UCX hands over: in two pieces, or without a payload
 * that it keeps. (frames.c has those in one piece.)
 */
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "transport/packet.h"

static struct stn_parsed parsed;

/* A packet as the table in packet.h has it, with this after what all have. */
struct wire {
	struct stn_packet packet;
	unsigned char rest[100];
};

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
	unsigned char *bytes = malloc(size ? size : 1);
	enum stn_err err;

	memcpy(bytes, wire, size);
	memset(&parsed, 0xee, sizeof(parsed));
	err = stn_packet_parse_kept(bytes, size, nodes, &parsed);
	if (parsed.packet.from >= nodes)
		err = STN_OK; /* broken: it must be a rank in any case */
	if (!stn_packet_parse(bytes, size, nodes, &parsed))
		err = STN_IO; /* broken: nothing is both */
	free(bytes);
	return err;
}

static void
test_kept(void)
{
	struct wire wire = { { 1, 7, STN_PACKET_KEPT, 5, 100000 }, "headr" };
	const uint64_t token = 77;

	memcpy(wire.rest + 5, &token, sizeof(token));
	tap_ok(!parse_kept(&wire, 16 + 5 + 8, 2) && parsed.token == 77,
	       "of a kept payload there is a header and a token");
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
	test_split();
	test_kept();
	return tap_end();
}
