/*
 * fuzz_constants.c: an arbitrary message of the service of constants is
 * rejected, or has the form of its kind.
 *
 * Input: kind (8 bits), size of the payload (64 bits), header.
 */
#include <string.h>

#include "constants/wire.h"
#include "tests/fuzz/fuzz.h"

#define NODES 5

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stn_message message = { 0 };
	union stn_constants_wire wire;
	uint64_t payload;

	if (size < 9 || size > 9 + STN_HEADER_BYTES)
		return 0;
	memcpy(&payload, data + 1, sizeof(payload));
	message.kind = (uint8_t)(STN_CONST_WANT + data[0] % STN_CONSTANTS_KINDS);
	message.header = data + 9;
	message.header_bytes = size - 9;
	message.payload_bytes = payload;
	if (stn_constants_parse(&message, NODES, &wire))
		return 0;
	require(message.kind == STN_CONST_DATA || !payload);
	require(!memcmp(&wire.name.hash, data + 9, sizeof(wire.name.hash)));
	require(message.kind != STN_CONST_WANT || wire.want.source < NODES);
	return 0;
}
