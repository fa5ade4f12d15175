/*
 * fuzz_meeting.c: any bytes are what a gateway leaves at the meeting point, or
 * says first to another, or are rejected.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz.h"
#include "transport/wan/entry.h"
#include "transport/wan/trunk.h"

static void
fuzz_entry(const uint8_t *data, size_t size)
{
	char text[STN_ENTRY_BYTES];
	struct stn_entry entry, again;

	if (stn_entry_read((const char *)data, size, &entry))
		return;
	require(entry.count && entry.count <= STN_ENTRY_PLACES);
	require(entry.clusters > 1 && stn_entry_write(text, &entry));
	require(!stn_entry_read(text, strlen(text), &again));
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
