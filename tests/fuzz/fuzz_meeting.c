/*
 * fuzz_meeting.c: any bytes either are an entry at the meeting point, or a
 * HELLO or SIZE between gateways, or are rejected.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "launch/gateway/meeting_entry.h"
#include "launch/gateway/trunk.h"

static void
fuzz_entry(const uint8_t *data, size_t size)
{
	char text[STN_ENTRY_BYTES];
	struct stn_meeting_entry entry, again;

	if (stn_meeting_entry_read((const char *)data, size, &entry))
		return;
	require(entry.count && entry.count <= STN_ENTRY_ADDRESSES);
	require(entry.clusters > 1 && stn_meeting_entry_write(text, &entry));
	require(!stn_meeting_entry_read(text, strlen(text), &again));
	require(!memcmp(&entry, &again, sizeof(entry)));
}

static void
fuzz_hello(const uint8_t *data, size_t size)
{
	unsigned char again[STN_TRUNK_HELLO_BYTES];
	struct stn_trunk_hello hello;
	uint32_t nodes;

	if (!stn_trunk_size_read(data, size, &nodes))
		require(nodes);
	if (stn_trunk_hello_read(data, size, &hello))
		return;
	require(stn_name_good(hello.run) && stn_name_good(hello.cluster));
	require(stn_trunk_hello_write(again, &hello) == size);
	require(!memcmp(again, data, size));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_entry(data, size);
	fuzz_hello(data, size);
	return 0;
}
