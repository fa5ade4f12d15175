/*
 * fuzz_segment.c: any bytes either are a segment, a handshake, an answer, a
 * layout or a value of STN_GATEWAY, or are rejected.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "transport/far/uplink.h"
#include "transport/far/segment.h"

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
fuzz_handshake(const uint8_t *data, size_t size)
{
	unsigned char again[STN_HANDSHAKE_BYTES];
	struct stn_handshake_answer answer;
	struct stn_handshake handshake;

	if (size >= STN_HANDSHAKE_BYTES &&
	    !stn_handshake_read(data, &handshake)) {
		stn_handshake_write(again, &handshake);
		require(!memcmp(again, data, sizeof(again)));
	}
	if (size >= STN_HANDSHAKE_ANSWER_BYTES &&
	    !stn_handshake_answer_read(data, &answer)) {
		stn_handshake_answer_write(again, &answer);
		require(!memcmp(again, data, STN_HANDSHAKE_ANSWER_BYTES));
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
fuzz_uplink(const uint8_t *data, size_t size)
{
	struct stn_uplink uplink;
	char *text = strndup((const char *)data, size);

	if (!text)
		abort();
	if (!stn_uplink_read(text, &uplink, NULL)) {
		require(uplink.count && uplink.count <= STN_GATEWAY_ADDRESSES);
		for (size_t i = 0; i < uplink.count; i++)
			require(*uplink.addresses[i] && atoi(uplink.ports[i]));
	}
	free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_segment(data, size);
	fuzz_handshake(data, size);
	fuzz_layout(data, size);
	fuzz_uplink(data, size);
	return 0;
}
