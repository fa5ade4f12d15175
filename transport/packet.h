/*
 * packet.h: what a message looks like on a wire, of whatever fabric, and the
 * one parser of it. All numbers are little-endian.
 *
 *	0 from: sender's rank (32)  4 kind (8)  5 type (8)
 *	6 header's length (16)      8 payload's length (64)
 *	16 header, then, by type:
 *
 *	EAGER	the payload
 *	OFFER	a token (64), the number of regions (64), and each region's
 *		address (64), key (64) and length (64): the receiver reads them
 *	DONE	a token (64), a status (64): the offer's receiver has read it,
 *		or refused it. No header, no payload
 *	CONNECT	a queue pair (32), the number of its first packet (32), whether
 *		it has been joined with the receiver's (32), whether an answer
 *		is wanted (32), the sender's address (40 bytes, which the
 *		fabric takes apart). No header, no payload
 *	PULL	a token (64): the offer's receiver can't read it, and asks for
 *		it. No header, no payload
 *	DATA	a token (64), 32 unused bytes, and then, as payload, a part of
 *		what was asked for: the next one. No header. (In memory behind
 *		a word of 8 bytes, the payload begins on a line of 64)
 *	KEPT	a token (64): as OFFER, but the fabric's own library keeps the
 *		payload, and is asked for it
 */
#ifndef STN_TRANSPORT_PACKET_H
#define STN_TRANSPORT_PACKET_H

#include "transport/transport.h"

#define STN_REGIONS 8 /* the most that an offer has */

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

/* stn_packet_make: what a message of node @from begins with. */
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

/* A packet from outside, taken apart. Pointers are into the bytes. */
struct stn_parsed {
	struct stn_packet packet;
	const unsigned char *header, *payload;
	struct stn_offer_block offer;
	struct stn_done_block done;
	struct stn_connect_block connect;
	uint64_t token; /* of PULL, DATA and KEPT */
};

/* No parser looks at a byte behind these. */
#define STN_PARSED_BYTES                                                       \
	(STN_PACKET_BYTES + STN_HEADER_BYTES + sizeof(struct stn_offer_block))

/*
 * stn_packet_parse: takes @size bytes apart. STN_MALFORMED if they aren't
 * exactly a packet from one of @nodes nodes; then only packet.from is set, to a
 * rank in any case. CONNECT, which makes connections, doesn't come over one,
 * and is malformed here: stn_packet_parse_connect takes that, and no other. So
 * are PULL and DATA: stn_packet_parse_streamed takes them, too, where they are
 * used. KEPT, whose payload comes in another way, stn_packet_parse_kept takes,
 * and no other.
 */
STN_CHECKED enum stn_err stn_packet_parse(const unsigned char *bytes,
					  size_t size, uint32_t nodes,
					  struct stn_parsed *parsed);
STN_CHECKED enum stn_err stn_packet_parse_streamed(const unsigned char *bytes,
						   size_t size, uint32_t nodes,
						   struct stn_parsed *parsed);
STN_CHECKED enum stn_err stn_packet_parse_connect(const unsigned char *bytes,
						  size_t size, uint32_t nodes,
						  struct stn_parsed *parsed);
STN_CHECKED enum stn_err stn_packet_parse_kept(const unsigned char *bytes,
					       size_t size, uint32_t nodes,
					       struct stn_parsed *parsed);

/*
 * stn_packet_parse_split: as stn_packet_parse, of a packet that came in two
 * pieces: what all types begin with, and the rest.
 */
STN_CHECKED enum stn_err
stn_packet_parse_split(const unsigned char head[STN_PACKET_BYTES],
		       const unsigned char *rest, size_t size, uint32_t nodes,
		       struct stn_parsed *parsed);

#endif
