/*
 * keep_log.c: what is written to a log is read from it, and damage costs only
 * the entries that are damaged.
 */
#include <stdlib.h>

#include "steal/keep_log.h"
#include "tests/tap.h"

#define ENTRIES 20

static _Alignas(8) unsigned char bytes[4096];
static size_t begins[ENTRIES + 1]; /* of the entries; the last: the end */

static struct stn_log_entry
entry_number(uint64_t i)
{
	return (struct stn_log_entry){ .key = { i, ~i },
				       .hint = (uint32_t)(3 * i),
				       .cost_ns = 1000000 + i,
				       .size = 3 * i };
}

/* A log of entries of 0, 3, 6... bytes. */
static void
write_log(void)
{
	const struct stn_log_header header = { 7, 123, 456,
					       STN_LOG_OF_RESULTS };
	size_t at = STN_LOG_HEADER_BYTES;

	stn_log_header_write(&header, bytes);
	for (uint64_t i = 0; i < ENTRIES; i++) {
		struct stn_log_entry entry = entry_number(i);

		begins[i] = at;
		memset(bytes + at + STN_LOG_ENTRY_BYTES, (int)i, entry.size);
		stn_log_entry_write(&entry, bytes + at);
		at += stn_log_entry_space(entry.size);
	}
	begins[ENTRIES] = at;
}

static bool
is_right(const struct stn_log_entry *entry)
{
	uint64_t i = entry->key.low;
	const unsigned char *outputs = entry->outputs;
	struct stn_log_entry expected = entry_number(i);

	for (size_t j = 0; j < entry->size; j++)
		if (outputs[j] != i)
			return false;
	return entry->key.high == expected.key.high &&
	       entry->hint == expected.hint && entry->size == expected.size &&
	       entry->cost_ns == expected.cost_ns;
}

/* Reads the first @size bytes. Returns how many right entries there are. */
static unsigned
read_log(size_t size, size_t *damaged_p)
{
	struct stn_log_header header;
	struct stn_log_reader reader;
	struct stn_log_entry entry;
	unsigned count = 0;

	if (stn_log_open(&reader, bytes, size, &header) || header.rank != 7 ||
	    header.program != 123 || header.run != 456)
		abort();
	while (stn_log_read(&reader, &entry)) {
		if (!is_right(&entry))
			abort();
		count++;
	}
	*damaged_p = reader.damaged;
	return count;
}

/* An entry whose outputs are elsewhere has the same bytes. */
static void
test_frame(void)
{
	unsigned char head[STN_LOG_ENTRY_BYTES], end[STN_LOG_END_BYTES];
	bool right = true;

	for (uint64_t i = 0; i < ENTRIES; i++) {
		struct stn_log_entry entry = entry_number(i);
		const unsigned char *from = bytes + begins[i];
		size_t end_bytes;

		entry.outputs = from + STN_LOG_ENTRY_BYTES;
		end_bytes = stn_log_entry_frame(&entry, head, end);
		right &= !memcmp(head, from, sizeof(head)) &&
			 !memcmp(end, bytes + begins[i + 1] - end_bytes,
				 end_bytes) &&
			 sizeof(head) + entry.size + end_bytes ==
				 begins[i + 1] - begins[i];
	}
	tap_ok(right, "entries are the same if their outputs are elsewhere");
}

static void
test_torn(void)
{
	unsigned whole = 0;
	bool right = true;
	size_t damaged;

	tap_ok(read_log(begins[ENTRIES], &damaged) == ENTRIES && !damaged,
	       "all entries are read");
	for (size_t size = begins[0]; size < begins[ENTRIES]; size++) {
		if (size >= begins[whole + 1])
			whole++;
		right &= read_log(size, &damaged) == whole && !damaged;
	}
	tap_ok(right, "a log may end at any byte: that is no damage");
}

static void
test_damage(void)
{
	unsigned entry = 0, count;
	bool right = true;
	size_t damaged;

	for (size_t at = begins[0]; at < begins[ENTRIES - 1]; at++) {
		if (at >= begins[entry + 1])
			entry++;
		bytes[at] ^= 0x10;
		count = read_log(begins[ENTRIES], &damaged);
		bytes[at] ^= 0x10;
		right &= count == ENTRIES - 1 && damaged == begins[entry];
	}
	tap_ok(right, "a changed byte costs the entry that it is in");
	bytes[begins[3]] ^= 1;
	bytes[begins[9]] ^= 1;
	count = read_log(begins[ENTRIES], &damaged);
	tap_ok(count == ENTRIES - 2 && damaged == begins[3],
	       "of two damages the first is told");
	memset(bytes + begins[10], 0xff, begins[ENTRIES] - begins[10]);
	count = read_log(begins[ENTRIES], &damaged);
	tap_ok(count == 8 && damaged == begins[3],
	       "no entry is found in garbage");
	write_log();
	bytes[begins[ENTRIES] - 1] ^= 1;
	count = read_log(begins[ENTRIES], &damaged);
	tap_ok(count == ENTRIES - 1 && damaged == begins[ENTRIES - 1],
	       "a last entry that is wrong but whole is damage");
}

static void
test_headers(void)
{
	struct stn_log_header header;
	struct stn_log_reader reader;
	bool right = true;

	write_log();
	for (size_t i = 0; i < STN_LOG_HEADER_BYTES; i++) {
		bytes[i] ^= 1;
		right &= stn_log_open(&reader, bytes, sizeof(bytes), &header) ==
			 STN_MALFORMED;
		bytes[i] ^= 1;
		right &= stn_log_open(&reader, bytes, i, &header) ==
			 STN_MALFORMED;
	}
	tap_ok(right, "a header that is damaged or too short is refused");
}

int
main(void)
{
	tap_begin();
	write_log();
	test_frame();
	test_torn();
	test_damage();
	test_headers();
	return tap_end();
}
