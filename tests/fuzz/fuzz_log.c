/*
 * fuzz_log.c: arbitrary bytes are either a log, whose entries are inside it, or
 * are refused. Entries that are written again have the same bytes.
 */
#include <string.h>

#include "steal/keep_log.h"
#include "tests/fuzz/fuzz.h"

static void
check_entry(const struct stn_log_reader *reader,
	    const struct stn_log_entry *entry)
{
	size_t space = stn_log_entry_space(entry->size);
	const unsigned char *outputs = entry->outputs;
	const unsigned char *from = outputs - STN_LOG_ENTRY_BYTES;
	unsigned char *again = malloc(space);

	require(again != NULL);
	require(entry->size <= reader->size && reader->at <= reader->size);
	require(from >= reader->bytes + STN_LOG_HEADER_BYTES);
	require(from + space == reader->bytes + reader->at);
	memcpy(again + STN_LOG_ENTRY_BYTES, outputs, entry->size);
	stn_log_entry_write(entry, again);
	require(!memcmp(again, from, STN_LOG_ENTRY_BYTES + entry->size));
	free(again);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stn_log_header header;
	struct stn_log_reader reader;
	struct stn_log_entry entry;

	if (stn_log_open(&reader, data, size, &header))
		return 0;
	while (stn_log_read(&reader, &entry))
		check_entry(&reader, &entry);
	require(reader.at == size && reader.damaged < size);
	return 0;
}
