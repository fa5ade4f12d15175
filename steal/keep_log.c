#include "steal/keep_log.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static const char magic[8] = "SATEENLG", mark[4] = "ENTR";

/* The numbers of a header and of an entry, as they lie in the log. */
struct raw_header {
	char magic[8];
	uint32_t version, rank;
	uint64_t program, run, kind, check;
};

struct raw_entry {
	char mark[4];
	uint32_t hint;
	struct stn_key key;
	uint64_t cost_ns, size;
};

_Static_assert(sizeof(struct raw_header) == STN_LOG_HEADER_BYTES, "no padding");
_Static_assert(sizeof(struct raw_entry) == STN_LOG_ENTRY_BYTES, "no padding");

static uint64_t
check_of(const void *bytes, size_t size)
{
	return XXH3_64bits(bytes, size);
}

void
stn_log_header_write(const struct stn_log_header *header, unsigned char *to)
{
	struct raw_header raw = { .version = STN_LOG_VERSION,
				  .rank = header->rank,
				  .program = header->program,
				  .run = header->run,
				  .kind = header->kind };

	memcpy(raw.magic, magic, sizeof(magic));
	raw.check = check_of(&raw, offsetof(struct raw_header, check));
	memcpy(to, &raw, sizeof(raw));
}

static size_t
padded(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

size_t
stn_log_entry_space(size_t size)
{
	return STN_LOG_ENTRY_BYTES + padded(size) + sizeof(uint64_t);
}

static void
write_head(const struct stn_log_entry *entry, unsigned char *to)
{
	struct raw_entry raw = { .hint = entry->hint,
				 .key = entry->key,
				 .cost_ns = entry->cost_ns,
				 .size = entry->size };

	memcpy(raw.mark, mark, sizeof(mark));
	memcpy(to, &raw, sizeof(raw));
}

void
stn_log_entry_write(const struct stn_log_entry *entry, unsigned char *to)
{
	size_t end = STN_LOG_ENTRY_BYTES + padded(entry->size);
	uint64_t check;

	write_head(entry, to);
	memset(to + STN_LOG_ENTRY_BYTES + entry->size, 0,
	       padded(entry->size) - entry->size);
	check = check_of(to, end);
	memcpy(to + end, &check, sizeof(check));
}

size_t
stn_log_entry_frame(const struct stn_log_entry *entry,
		    unsigned char head[STN_LOG_ENTRY_BYTES],
		    unsigned char end[STN_LOG_END_BYTES])
{
	size_t zeros = padded(entry->size) - entry->size;
	XXH3_state_t state;
	uint64_t check;

	write_head(entry, head);
	memset(end, 0, zeros);
	XXH3_64bits_reset(&state);
	XXH3_64bits_update(&state, head, STN_LOG_ENTRY_BYTES);
	XXH3_64bits_update(&state, entry->outputs, entry->size);
	XXH3_64bits_update(&state, end, zeros);
	check = XXH3_64bits_digest(&state);
	memcpy(end + zeros, &check, sizeof(check));
	return zeros + sizeof(check);
}

enum stn_err
stn_log_open(struct stn_log_reader *reader, const void *bytes, size_t size,
	     struct stn_log_header *header_p)
{
	struct raw_header raw;

	if (size < sizeof(raw))
		return STN_MALFORMED;
	memcpy(&raw, bytes, sizeof(raw));
	if (memcmp(raw.magic, magic, sizeof(magic)) ||
	    raw.check != check_of(&raw, offsetof(struct raw_header, check)))
		return STN_MALFORMED;
	if (raw.version != STN_LOG_VERSION)
		return STN_INVALID;
	*reader = (struct stn_log_reader){ bytes, size, sizeof(raw), 0 };
	*header_p = (struct stn_log_header){ raw.rank, raw.program, raw.run,
					     raw.kind };
	return STN_OK;
}

/* Takes the entry at @at. False if no intact entry is there. */
static bool
intact_entry(const struct stn_log_reader *reader, size_t at,
	     struct stn_log_entry *entry_p)
{
	const unsigned char *from = reader->bytes + at;
	size_t left = reader->size - at, end;
	struct raw_entry raw;
	uint64_t check;

	if (left < stn_log_entry_space(0) || memcmp(from, mark, sizeof(mark)))
		return false;
	memcpy(&raw, from, sizeof(raw));
	if (raw.size > left || stn_log_entry_space(raw.size) > left)
		return false;
	end = STN_LOG_ENTRY_BYTES + padded(raw.size);
	memcpy(&check, from + end, sizeof(check));
	if (check != check_of(from, end))
		return false;
	*entry_p =
		(struct stn_log_entry){ raw.key, raw.hint, raw.cost_ns,
					raw.size, from + STN_LOG_ENTRY_BYTES };
	return true;
}

/* Is it possible that the node died while it wrote the entry at @at? */
static bool
is_torn(const struct stn_log_reader *reader, size_t at)
{
	size_t left = reader->size - at;
	struct raw_entry raw;

	if (left < sizeof(raw))
		return true;
	memcpy(&raw, reader->bytes + at, sizeof(raw));
	return !memcmp(raw.mark, mark, sizeof(mark)) &&
	       (raw.size > left || stn_log_entry_space(raw.size) > left);
}

bool
stn_log_read(struct stn_log_reader *reader, struct stn_log_entry *entry_p)
{
	size_t at = reader->at;

	while (at < reader->size && !intact_entry(reader, at, entry_p))
		at += 8;
	if (at > reader->size)
		at = reader->size;
	if (at > reader->at && !reader->damaged &&
	    (at < reader->size || !is_torn(reader, reader->at)))
		reader->damaged = reader->at;
	reader->at = at;
	if (at == reader->size)
		return false;
	reader->at += stn_log_entry_space(entry_p->size);
	return true;
}
