/*
 * segment.h: what goes between a node and its cluster's gateway, and between
 * gateways. Messages of all sizes travel as segments, so that those of many
 * nodes share a connection fairly. All numbers are little-endian.
 *
 *	0 to: receiver's rank (32)   4 from: sender's rank (32)
 *	8 bytes of data (16)   10 type (8)   11 flags (8)   12 operation (32)
 *	16 data
 *
 *	MESSAGE	0 kind (8)  1 zero (8)  2 header's length (16)
 *		4 zero (32)  8 payload's length (64)  16 header, and then, if
 *		the operation is 0, the payload; else that is offered, and
 *		comes in parts as the sender's operation of that number
 *	PART	the next part of what was offered
 *	STOP	the sender has given the operation up. No data
 *	END	the receiver has got all of it, or refuses it. No data
 *	LOST	from a gateway: node "from" is dead. No data
 *
 * Gateways have types of their own (trunk.h), which nodes don't know.
 */
#ifndef STN_TRANSPORT_WAN_SEGMENT_H
#define STN_TRANSPORT_WAN_SEGMENT_H

#include <stdint.h>

#include "transport/transport.h"

#define STN_SEGMENT_HEAD 16
#define STN_SEGMENT_BYTES 16384 /* none is longer: a record of TLS */
#define STN_SEGMENT_DATA (STN_SEGMENT_BYTES - STN_SEGMENT_HEAD)
#define STN_SEGMENT_FRONT 16	       /* what a MESSAGE's data begins with */
#define STN_SEGMENT_GATEWAY UINT32_MAX /* receiver: the gateway itself */

enum stn_segment_type {
	STN_SEGMENT_MESSAGE = 1,
	STN_SEGMENT_PART,
	STN_SEGMENT_STOP,
	STN_SEGMENT_END,
	STN_SEGMENT_LOST,
	STN_SEGMENT_TYPES /* from here on, gateways' own */
};

enum stn_segment_flag {
	STN_SEGMENT_REFUSED = 1, /* of END */
	STN_SEGMENT_MORE = 2	 /* of gateways': it goes on in the next */
};

/* What a segment begins with. */
struct stn_segment {
	uint32_t to, from, operation;
	uint16_t bytes;
	uint8_t type, flags;
};

/* What the data of a MESSAGE says; pointers are into the data. */
struct stn_segment_message {
	uint8_t kind;
	uint16_t header_bytes;
	uint64_t payload_bytes;
	const unsigned char *header, *payload; /* NULL: it was offered */
};

void stn_segment_write(unsigned char head[STN_SEGMENT_HEAD],
		       const struct stn_segment *segment);

/*
 * stn_segment_read: takes a head apart. STN_MALFORMED if none begins like
 * this. Whom it is for, and whether nodes may send such, is not looked at.
 */
STN_CHECKED enum stn_err
stn_segment_read(const unsigned char head[STN_SEGMENT_HEAD],
		 struct stn_segment *segment);

/* stn_segment_message_write: what a MESSAGE's data begins with. */
void stn_segment_message_write(unsigned char data[STN_SEGMENT_FRONT],
			       uint8_t kind, size_t header_bytes,
			       size_t payload_bytes);

/*
 * stn_segment_message_read: takes the data of a MESSAGE apart, all of which
 * must be there. STN_MALFORMED if it isn't exactly one.
 */
STN_CHECKED enum stn_err
stn_segment_message_read(const struct stn_segment *segment,
			 const unsigned char *data,
			 struct stn_segment_message *message);

#endif
