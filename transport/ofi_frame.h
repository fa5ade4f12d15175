/*
 * ofi_frame.h: what a message looks like on libfabric's wire. All numbers are
 * little-endian.
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
 */
#ifndef STN_TRANSPORT_OFI_FRAME_H
#define STN_TRANSPORT_OFI_FRAME_H

#include "transport/transport.h"

#define OFI_REGIONS 8	     /* the most that an offer has */
#define OFI_EAGER_BYTES 8192 /* header and payload */

enum ofi_frame_type { OFI_EAGER, OFI_OFFER, OFI_DONE };

struct ofi_frame {
	uint32_t from;
	uint8_t kind, type;
	uint16_t header_bytes;
	uint64_t payload_bytes;
};

struct ofi_region {
	uint64_t address, key, bytes;
};

struct ofi_offer_block {
	uint64_t token, count;
	struct ofi_region regions[OFI_REGIONS];
};

struct ofi_done_block {
	uint64_t token, status;
};

#define OFI_FRAME_BYTES sizeof(struct ofi_frame)
#define OFI_OFFER_BYTES(count)                                                 \
	(2 * sizeof(uint64_t) + (count) * sizeof(struct ofi_region))

/* The most that can arrive in one piece. */
#define OFI_WIRE_BYTES (OFI_FRAME_BYTES + OFI_EAGER_BYTES)

/* A frame from outside, taken apart. Pointers are into the bytes. */
struct ofi_parsed {
	struct ofi_frame frame;
	const unsigned char *header, *payload;
	struct ofi_offer_block offer;
	struct ofi_done_block done;
};

/*
 * ofi_frame_parse: takes @size bytes apart. STN_MALFORMED if they aren't
 * exactly a frame from one of @nodes nodes; then only frame.from is set, to a
 * rank in any case.
 */
STN_CHECKED enum stn_err ofi_frame_parse(const unsigned char *bytes,
					 size_t size, uint32_t nodes,
					 struct ofi_parsed *parsed);

#endif
