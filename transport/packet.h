/*
 * packet.h: the format of a message on the wire of every fabric, and its only
 * parser. All numbers are little-endian.
 *
 *	0 from: sender's rank (32)  4 kind (8)  5 type (8)
 *	6 header's length (16)      8 payload's length (64)
 *	16 header, then, by type:
 *
 *	EAGER	the payload
 *	OFFER	a token (64), the number of regions (64), and each region's
 *		address (64), key (64) and length (64). The receiver reads the
 *		payload from these regions
 *	DONE	a token (64), a status (64): the receiver of the offer has read
 *		the payload (0), or refused it. No header, no payload
 *	CONNECT	the sender's queue pair (32), the number of its first packet
 *		(32), whether it is connected to the receiver's queue pair
 *		(32), whether the sender wants an answer (32), the sender's
 *		address (40 bytes, which the fabric parses). No header, no
 *		payload
 *	PULL	a token (64): the receiver of the offer can't read the payload,
 *		and asks the sender to stream it. No header, no payload
 *	DATA	a token (64), 32 unused bytes, then, as payload, the next part
 *		of a payload that a PULL asked for. No header. (Behind a word
 *		of 8 bytes in memory, the payload begins on a line of 64 bytes)
 *	KEPT	a token (64): as OFFER, but the fabric's own library keeps the
 *		payload until the receiver asks the library for it
 */
#ifndef STN_TRANSPORT_PACKET_H
#define STN_TRANSPORT_PACKET_H

#include "transport/ops.h"

#define STN_REGIONS 8 /* the most regions that an offer has */

enum stn_packet_type {
	STN_PACKET_EAGER,
	STN_PACKET_OFFER,
	STN_PACKET_DONE,
	STN_PACKET_CONNECT,
	STN_PACKET_PULL,
	STN_PACKET_DATA,
	STN_PACKET_KEPT
};

#define STN_CONNECT_ADDRESS_BYTES 40

struct stn_packet {
	uint32_t from;
	uint8_t kind, type;
	uint16_t header_bytes;
	uint64_t payload_bytes;
};

struct stn_region {
	uint64_t address, key, bytes;
};

struct stn_offer_block {
	uint64_t token, count;
	struct stn_region regions[STN_REGIONS];
};

struct stn_done_block {
	uint64_t token, status;
};

struct stn_connect_block {
	uint32_t pair, first, joined, asks;
	unsigned char address[STN_CONNECT_ADDRESS_BYTES];
};

#define STN_PACKET_BYTES sizeof(struct stn_packet)
#define STN_PULL_BYTES sizeof(uint64_t)
#define STN_DATA_BYTES (5 * sizeof(uint64_t))
#define STN_OFFER_BYTES(count)                                                 \
	(2 * sizeof(uint64_t) + (count) * sizeof(struct stn_region))

/* stn_packet_make: the first bytes of a message from node @from. */
static inline struct stn_packet
stn_packet_make(uint32_t from, enum stn_packet_type type, uint8_t kind,
		size_t header_bytes, size_t payload_bytes)
{
	return (struct stn_packet){
		.from = from,
		.kind = kind,
		.type = (uint8_t)type,
		.header_bytes = (uint16_t)header_bytes,
		.payload_bytes = payload_bytes,
	};
}

/* A parsed packet. The pointers point into the packet's bytes. */
struct stn_parsed {
	struct stn_packet packet;
	const unsigned char *header, *payload;
	struct stn_offer_block offer;
	struct stn_done_block done;
	struct stn_connect_block connect;
	uint64_t token; /* of PULL, DATA and KEPT */
};

/* The parsers look only at this many bytes at the beginning of a packet. */
#define STN_PARSED_BYTES                                                       \
	(STN_PACKET_BYTES + STN_HEADER_BYTES + sizeof(struct stn_offer_block))

/*
 * stn_packet_parse: parses @size bytes as an EAGER, OFFER or DONE packet from
 * one of @nodes nodes. Returns STN_MALFORMED if they are anything else. Then
 * only parsed->packet.from is set, always to a valid rank.
 * stn_packet_parse_streamed: also takes PULL and DATA, for fabrics that stream
 * payloads.
 * stn_packet_parse_connect: takes only CONNECT, which establishes connections
 * and so never arrives over one.
 * stn_packet_parse_kept: takes only KEPT, whose payload the fabric's library
 * holds.
 */
typedef enum stn_err stn_packet_parser(const unsigned char *bytes, size_t size,
				       uint32_t nodes,
				       struct stn_parsed *parsed);
STN_CHECKED stn_packet_parser stn_packet_parse, stn_packet_parse_streamed,
	stn_packet_parse_connect, stn_packet_parse_kept;

/*
 * stn_packet_parse_split: as stn_packet_parse, for a packet in two pieces:
 * @head, which all types begin with, and the @size bytes that follow.
 */
STN_CHECKED enum stn_err
stn_packet_parse_split(const unsigned char head[STN_PACKET_BYTES],
		       const unsigned char *rest, size_t size, uint32_t nodes,
		       struct stn_parsed *parsed);

/*
 * stn_packet_is_eager: is a packet of @size bytes, which node @from has sent
 * and which begins with @packet, a well-formed EAGER? Then its header and its
 * payload follow, and it needs no parser.
 */
static inline bool
stn_packet_is_eager(const struct stn_packet *packet, uint32_t from, size_t size)
{
	size_t rest = size - STN_PACKET_BYTES;

	return size >= STN_PACKET_BYTES && packet->type == STN_PACKET_EAGER &&
	       packet->from == from &&
	       packet->header_bytes <= STN_HEADER_BYTES &&
	       packet->header_bytes <= rest &&
	       packet->payload_bytes == rest - packet->header_bytes;
}

/*
 * An offered message, as the handler sees it and passes it to pull or refuse.
 * The block is valid until the handler returns.
 */
struct stn_offered {
	struct stn_arrival arrival; /* first */
	const struct stn_offer_block *offer;
};

/* stn_packet_message: the message of a packet, for the handler. */
static inline struct stn_message
stn_packet_message(const struct stn_parsed *parsed)
{
	return (struct stn_message){
		.from = parsed->packet.from,
		.kind = parsed->packet.kind,
		.header = parsed->header,
		.header_bytes = parsed->packet.header_bytes,
		.payload_bytes = parsed->packet.payload_bytes,
	};
}

/*
 * stn_packet_deliver: passes an EAGER or an OFFER to the endpoint's handler. An
 * OFFER is passed as a struct stn_offered.
 */
static inline void
stn_packet_deliver(const struct stn_opening *opening,
		   const struct stn_parsed *parsed)
{
	const bool eager = parsed->packet.type == STN_PACKET_EAGER;
	const struct stn_offered offered = {
		.arrival.message = stn_packet_message(parsed),
		.arrival.payload = eager ? parsed->payload : NULL,
		.offer = &parsed->offer,
	};

	opening->handler(opening->arg, &offered.arrival.message);
}

/*
 * stn_packet_malformed: tells the endpoint's handler that node @from has sent a
 * malformed packet: the handler gets a message of kind 0, which no node sends.
 */
void stn_packet_malformed(const struct stn_opening *opening, uint32_t from);

#endif
