#include "transport/packet.h"

#include <string.h>

_Static_assert(sizeof(struct stn_packet) == 16, "as in the table");
_Static_assert(sizeof(struct stn_region) == 24, "as in the table");

static enum stn_err
parse_offer(const unsigned char *bytes, size_t size, struct stn_parsed *parsed)
{
	struct stn_offer_block *offer = &parsed->offer;
	uint64_t left = parsed->packet.payload_bytes;

	if (size < STN_OFFER_BYTES(0) || size > sizeof(*offer))
		return STN_MALFORMED;
	memcpy(offer, bytes, size);
	if (!offer->count || offer->count > STN_REGIONS ||
	    size != STN_OFFER_BYTES(offer->count))
		return STN_MALFORMED;
	for (uint64_t i = 0; i < offer->count; i++) {
		if (!offer->regions[i].bytes || offer->regions[i].bytes > left)
			return STN_MALFORMED;
		left -= offer->regions[i].bytes;
	}
	return left ? STN_MALFORMED : STN_OK;
}

/* Parses a packet that has neither header nor payload, only a block. */
static enum stn_err
parse_block(const unsigned char *bytes, size_t size,
	    const struct stn_packet *packet, void *block, size_t block_bytes)
{
	if (packet->header_bytes || packet->payload_bytes ||
	    size != block_bytes)
		return STN_MALFORMED;
	memcpy(block, bytes, size);
	return STN_OK;
}

static enum stn_err
parse_data(const unsigned char *bytes, size_t size, struct stn_parsed *parsed)
{
	if (parsed->packet.header_bytes || size <= STN_DATA_BYTES ||
	    size - STN_DATA_BYTES != parsed->packet.payload_bytes)
		return STN_MALFORMED;
	memcpy(&parsed->token, bytes, sizeof(parsed->token));
	parsed->payload = bytes + STN_DATA_BYTES;
	return STN_OK;
}

/* InfiniBand numbers queue pairs and packets in 24 bits. */
static enum stn_err
parse_connect(const unsigned char *bytes, size_t size,
	      struct stn_parsed *parsed)
{
	struct stn_connect_block *connect = &parsed->connect;

	if (parsed->packet.type != STN_PACKET_CONNECT ||
	    parse_block(bytes, size, &parsed->packet, connect,
			sizeof(*connect)) ||
	    connect->pair >> 24 || connect->first >> 24 ||
	    connect->joined > 1 || connect->asks > 1)
		return STN_MALFORMED;
	return STN_OK;
}

static enum stn_err
packet_parse_kept(const unsigned char *bytes, size_t size,
		  struct stn_parsed *parsed)
{
	if (parsed->packet.type != STN_PACKET_KEPT ||
	    size != sizeof(parsed->token))
		return STN_MALFORMED;
	memcpy(&parsed->token, bytes, size);
	return STN_OK;
}

/*
 * Checks what all types of packets have in common: all but the bytes behind the
 * header.
 */
static enum stn_err
parse_pieces(const unsigned char *head, const unsigned char *rest, size_t size,
	     uint32_t nodes, struct stn_parsed *parsed)
{
	struct stn_packet *packet = &parsed->packet;

	memcpy(packet, head, sizeof(*packet));
	if (packet->from >= nodes) {
		packet->from = 0;
		return STN_MALFORMED;
	}
	if (packet->header_bytes > STN_HEADER_BYTES ||
	    packet->header_bytes > size)
		return STN_MALFORMED;
	parsed->header = rest;
	return STN_OK;
}

/* Parses the bytes behind the header, for the types that every fabric uses. */
static enum stn_err
parse_common(const unsigned char *rest, size_t size, struct stn_parsed *parsed)
{
	switch (parsed->packet.type) {
	case STN_PACKET_EAGER:
		parsed->payload = rest;
		return size == parsed->packet.payload_bytes ? STN_OK
							    : STN_MALFORMED;
	case STN_PACKET_OFFER:
		return parse_offer(rest, size, parsed);
	case STN_PACKET_DONE:
		return parse_block(rest, size, &parsed->packet, &parsed->done,
				   sizeof(parsed->done));
	}
	return STN_MALFORMED;
}

/* Also takes PULL and DATA, which only fabrics that stream payloads use. */
static enum stn_err
parse_streamed(const unsigned char *rest, size_t size,
	       struct stn_parsed *parsed)
{
	switch (parsed->packet.type) {
	case STN_PACKET_PULL:
		return parse_block(rest, size, &parsed->packet, &parsed->token,
				   STN_PULL_BYTES);
	case STN_PACKET_DATA:
		return parse_data(rest, size, parsed);
	}
	return parse_common(rest, size, parsed);
}

/* Parses the bytes behind a packet's header. */
typedef enum stn_err parse_rest(const unsigned char *rest, size_t size,
				struct stn_parsed *parsed);

static enum stn_err
parse_whole(const unsigned char *bytes, size_t size, uint32_t nodes,
	    parse_rest *parse, struct stn_parsed *parsed)
{
	size_t head = sizeof(parsed->packet);
	enum stn_err err;

	memset(&parsed->packet, 0, head);
	if (size < head)
		return STN_MALFORMED;
	err = parse_pieces(bytes, bytes + head, size - head, nodes, parsed);
	if (err)
		return err;
	head += parsed->packet.header_bytes;
	return parse(bytes + head, size - head, parsed);
}

enum stn_err
stn_packet_parse(const unsigned char *bytes, size_t size, uint32_t nodes,
		 struct stn_parsed *parsed)
{
	return parse_whole(bytes, size, nodes, parse_common, parsed);
}

enum stn_err
stn_packet_parse_streamed(const unsigned char *bytes, size_t size,
			  uint32_t nodes, struct stn_parsed *parsed)
{
	return parse_whole(bytes, size, nodes, parse_streamed, parsed);
}

enum stn_err
stn_packet_parse_connect(const unsigned char *bytes, size_t size,
			 uint32_t nodes, struct stn_parsed *parsed)
{
	return parse_whole(bytes, size, nodes, parse_connect, parsed);
}

enum stn_err
stn_packet_parse_kept(const unsigned char *bytes, size_t size, uint32_t nodes,
		      struct stn_parsed *parsed)
{
	return parse_whole(bytes, size, nodes, packet_parse_kept, parsed);
}

enum stn_err
stn_packet_parse_split(const unsigned char head[STN_PACKET_BYTES],
		       const unsigned char *rest, size_t size, uint32_t nodes,
		       struct stn_parsed *parsed)
{
	enum stn_err err = parse_pieces(head, rest, size, nodes, parsed);
	size_t header = parsed->packet.header_bytes;

	if (err)
		return err;
	return parse_common(rest + header, size - header, parsed);
}

/*
 * The message lies in a struct stn_arrival because the handler may refuse it.
 */
void
stn_packet_malformed(const struct stn_opening *opening, uint32_t from)
{
	const struct stn_arrival arrival = { .message.from = from };

	opening->handler(opening->arg, &arrival.message);
}
