#include "transport/far/segment.h"

#include <endian.h>
#include <string.h>

/* The layout on the wire. */
struct head {
	uint32_t to, from;
	uint16_t bytes;
	uint8_t type, flags;
	uint32_t operation;
};

struct front {
	uint8_t kind, zero;
	uint16_t header_bytes;
	uint32_t zeros;
	uint64_t payload_bytes;
};

_Static_assert(sizeof(struct head) == STN_SEGMENT_HEAD, "as described");
_Static_assert(sizeof(struct front) == STN_SEGMENT_FRONT, "as described");

void
stn_segment_write(unsigned char bytes[STN_SEGMENT_HEAD],
		  const struct stn_segment *segment)
{
	struct head head = {
		.to = htole32(segment->to),
		.from = htole32(segment->from),
		.bytes = htole16(segment->bytes),
		.type = segment->type,
		.flags = segment->flags,
		.operation = htole32(segment->operation),
	};

	memcpy(bytes, &head, sizeof(head));
}

enum stn_err
stn_segment_read(const unsigned char bytes[STN_SEGMENT_HEAD],
		 struct stn_segment *segment)
{
	struct head head;

	memcpy(&head, bytes, sizeof(head));
	*segment = (struct stn_segment){
		.to = le32toh(head.to),
		.from = le32toh(head.from),
		.bytes = le16toh(head.bytes),
		.type = head.type,
		.flags = head.flags,
		.operation = le32toh(head.operation),
	};
	if (!segment->type || segment->bytes > STN_SEGMENT_DATA)
		return STN_MALFORMED;
	switch (segment->type) {
	case STN_SEGMENT_PART:
		return segment->operation && segment->bytes ? STN_OK
							    : STN_MALFORMED;
	case STN_SEGMENT_STOP:
	case STN_SEGMENT_END:
		return segment->operation && !segment->bytes ? STN_OK
							     : STN_MALFORMED;
	case STN_SEGMENT_LOST:
		return segment->bytes ? STN_MALFORMED : STN_OK;
	}
	return STN_OK;
}

void
stn_segment_message_write(unsigned char data[STN_SEGMENT_FRONT], uint8_t kind,
			  size_t header_bytes, size_t payload_bytes)
{
	struct front front = {
		.kind = kind,
		.header_bytes = htole16((uint16_t)header_bytes),
		.payload_bytes = htole64(payload_bytes),
	};

	memcpy(data, &front, sizeof(front));
}

enum stn_err
stn_segment_message_read(const struct stn_segment *segment,
			 const unsigned char *data,
			 struct stn_segment_message *message)
{
	struct front front;
	size_t rest;

	if (segment->bytes < sizeof(front))
		return STN_MALFORMED;
	memcpy(&front, data, sizeof(front));
	message->kind = front.kind;
	message->header_bytes = le16toh(front.header_bytes);
	message->payload_bytes = le64toh(front.payload_bytes);
	message->header = data + sizeof(front);
	message->payload = NULL;
	rest = segment->bytes - sizeof(front);
	if (!front.kind || front.zero || front.zeros ||
	    message->header_bytes > STN_HEADER_BYTES ||
	    message->header_bytes > rest)
		return STN_MALFORMED;
	rest -= message->header_bytes;
	if (segment->operation)
		return rest || !message->payload_bytes ? STN_MALFORMED : STN_OK;
	message->payload = message->header + message->header_bytes;
	return rest == message->payload_bytes ? STN_OK : STN_MALFORMED;
}
