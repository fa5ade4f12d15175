/*
 * segment.h: segments, which travel between a node and its cluster's gateway,
 * and between gateways. Messages of all sizes are cut into segments, so that
 * the messages of many nodes share a connection fairly. All numbers are
 * little-endian.
 *
 *	0 to: receiver's rank (32)   4 from: sender's rank (32)
 *	8 bytes of data (16)   10 type (8)   11 flags (8)   12 operation (32)
 *	16 data
 *
 *	MESSAGE	0 kind (8)  1 zero (8)  2 header's length (16)
 *		4 zero (32)  8 payload's length (64)  16 header; then, if the
 *		operation is 0, the payload; else the payload is offered, and
 *		comes in PARTs as the sender's operation of that number
 *	PART	the next part of an offered payload
 *	STOP	the sender has given the operation up. No data
 *	END	the receiver has got the payload, or refuses it. No data
 *	LOST	from a gateway: node "from" is dead. No data
 *
 * Gateways send each other further types (trunk.h), which nodes don't know.
 */
#ifndef STN_TRANSPORT_FAR_SEGMENT_H
#define STN_TRANSPORT_FAR_SEGMENT_H

#include <stdint.h>

#include "transport/transport.h"

#define STN_SEGMENT_HEAD 16
#define STN_SEGMENT_BYTES 16384 /* the longest: one record of TLS */
#define STN_SEGMENT_DATA (STN_SEGMENT_BYTES - STN_SEGMENT_HEAD)
#define STN_SEGMENT_FRONT 16	       /* the fixed part of a MESSAGE's data */
#define STN_SEGMENT_GATEWAY UINT32_MAX /* receiver: the gateway itself */

enum stn_segment_type {
	STN_SEGMENT_MESSAGE = 1,
	STN_SEGMENT_PART,
	STN_SEGMENT_STOP,
	STN_SEGMENT_END,
	STN_SEGMENT_LOST,
	STN_SEGMENT_TYPES /* from here on, types between gateways */
};

enum stn_segment_flag {
	STN_SEGMENT_REFUSED = 1, /* END: the payload is refused */
	STN_SEGMENT_MORE = 2	 /* between gateways: continued in the next */
};

/* The head of a segment. */
struct stn_segment {
	uint32_t to, from, operation;
	uint16_t bytes;
	uint8_t type, flags;
};

/* The parsed data of a MESSAGE. Pointers lead into the data. */
struct stn_segment_message {
	uint8_t kind;
	uint16_t header_bytes;
	uint64_t payload_bytes;
	const unsigned char *header,
		*payload; /* payload is NULL if it is offered */
};

void stn_segment_write(unsigned char head[STN_SEGMENT_HEAD],
		       const struct stn_segment *segment);

/*
 * stn_segment_read: parses a head; STN_MALFORMED if no segment begins like
 * this. Doesn't check the receiver, nor whether nodes may send this type.
 */
STN_CHECKED enum stn_err
stn_segment_read(const unsigned char head[STN_SEGMENT_HEAD],
		 struct stn_segment *segment);

/* stn_segment_message_write: writes the fixed part of a MESSAGE's data. */
void stn_segment_message_write(unsigned char data[STN_SEGMENT_FRONT],
			       uint8_t kind, size_t header_bytes,
			       size_t payload_bytes);

/*
 * stn_segment_message_read: parses the data of a MESSAGE, which must be
 * complete. STN_MALFORMED if it isn't exactly one message.
 */
STN_CHECKED enum stn_err
stn_segment_message_read(const struct stn_segment *segment,
			 const unsigned char *data,
			 struct stn_segment_message *message);

#endif
