/*
 * fuzz_segment.c: any bytes are a segment, what a node says to its gateway, or
 * what that answers, or are rejected.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz.h"
#include "transport/wan/door.h"
#include "transport/wan/segment.h"

static void
fuzz_segment(const uint8_t *data, size_t size)
{
	unsigned char again[STN_SEGMENT_HEAD];
	struct stn_segment_message message;
	struct stn_segment segment;

	if (size < STN_SEGMENT_HEAD || stn_segment_read(data, &segment))
		return;
	require(segment.bytes <= STN_SEGMENT_DATA);
	stn_segment_write(again, &segment);
	require(!memcmp(again, data, sizeof(again)));
	if (size - STN_SEGMENT_HEAD < segment.bytes ||
	    segment.type != STN_SEGMENT_MESSAGE)
		return;
	data += STN_SEGMENT_HEAD;
	if (stn_segment_message_read(&segment, data, &message))
		return;
	require(message.kind && message.header_bytes <= STN_HEADER_BYTES);
	require(message.header == data + STN_SEGMENT_FRONT);
	require(message.header + message.header_bytes +
			(message.payload ? message.payload_bytes : 0) ==
		data + segment.bytes);
	require(!message.payload == (segment.operation != 0));
}

static void
fuzz_knock(const uint8_t *data, size_t size)
{
	unsigned char again[STN_KNOCK_BYTES];
	struct stn_answer answer;
	struct stn_knock knock;

	if (size >= STN_KNOCK_BYTES && !stn_knock_read(data, &knock)) {
		stn_knock_write(again, &knock);
		require(!memcmp(again, data, sizeof(again)));
	}
	if (size >= STN_ANSWER_BYTES && !stn_answer_read(data, &answer)) {
		stn_answer_write(again, &answer);
		require(!memcmp(again, data, STN_ANSWER_BYTES));
	}
}

static void
fuzz_layout(const uint8_t *data, size_t size)
{
	unsigned char again[STN_LAYOUT_BYTES];
	struct stn_layout layout;

	if (stn_layout_read(data, size, &layout))
		return;
	require(layout.mine < layout.clusters);
	require(stn_layout_write(again, &layout) == size);
	require(!memcmp(again, data, size));
}

static void
fuzz_door(const uint8_t *data, size_t size)
{
	struct stn_door door;
	char *text = strndup((const char *)data, size);

	if (!text)
		abort();
	if (!stn_door_read(text, &door, NULL)) {
		require(door.count && door.count <= STN_GATEWAY_ADDRESSES);
		for (size_t i = 0; i < door.count; i++)
			require(*door.addresses[i] && atoi(door.ports[i]));
	}
	free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_segment(data, size);
	fuzz_knock(data, size);
	fuzz_layout(data, size);
	fuzz_door(data, size);
	return 0;
}
