#include "steal/key.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "steal/buffers.h"

/* The hashed bytes without the contents of buffers. */
struct head {
	size_t length;
	unsigned char bytes[sizeof(uint64_t) + STN_ARGUMENT_BYTES +
			    sizeof(struct stn_key)];
};

static void
hash_text(XXH3_state_t *state, const char *text)
{
	XXH3_64bits_update(state, text, strlen(text) + 1);
}

static void
hash_number(XXH3_state_t *state, uint32_t number)
{
	XXH3_64bits_update(state, &number, sizeof(number));
}

uint64_t
stn_key_task(const struct stn_task *task)
{
	XXH3_state_t state;

	XXH3_64bits_reset(&state);
	hash_text(&state, task->name);
	hash_text(&state, task->result);
	hash_number(&state, task->result_bytes);
	for (uint32_t i = 0; i < task->argument_count; i++) {
		hash_text(&state, task->arguments[i].type);
		hash_number(&state, task->arguments[i].bytes);
		hash_number(&state, task->arguments[i].kind);
	}
	return XXH3_64bits_digest(&state);
}

static void
head_put(struct head *head, const void *from, size_t bytes)
{
	unsigned char *to = head->bytes + head->length;

	/* The compiler replaces calls of memcpy with constant sizes. */
	if (bytes == 4)
		memcpy(to, from, 4);
	else if (bytes == 8)
		memcpy(to, from, 8);
	else
		memcpy(to, from, bytes);
	head->length += bytes;
}

static void
key_head(struct head *head, uint64_t hash, const struct stn_task *task,
	 const struct stn_record *record)
{
	const struct stn_argument *end = task->arguments + task->argument_count;

	head->length = 0;
	head_put(head, &hash, sizeof(hash));
	for (const struct stn_argument *a = task->arguments; a < end; a++) {
		struct stn_buffer buffer;

		if (!stn_argument_is_buffer(a)) {
			head_put(head, record->arguments + a->offset, a->bytes);
			continue;
		}
		buffer = stn_buffer_of(a, record);
		head_put(head, &buffer.rows, sizeof(buffer.rows));
		head_put(head, &buffer.row_bytes, sizeof(buffer.row_bytes));
	}
}

static void
hash_buffer(XXH3_state_t *state, const struct stn_buffer *buffer)
{
	if (!stn_buffer_bytes(buffer))
		return;
	if (stn_buffer_contiguous(buffer)) {
		XXH3_128bits_update(state, buffer->at,
				    stn_buffer_bytes(buffer));
		return;
	}
	for (uint32_t row = 0; row < buffer->rows; row++)
		XXH3_128bits_update(state, buffer->at + row * buffer->stride,
				    buffer->row_bytes);
}

static bool
has(const struct stn_task *task, enum stn_argument_kind kind)
{
	for (uint32_t i = 0; i < task->argument_count; i++)
		if (task->arguments[i].kind == kind)
			return true;
	return false;
}

/* The hash of @head, and of the contents of all buffers of one kind. */
static struct stn_key
hash_contents(const struct head *head, enum stn_argument_kind kind,
	      const struct stn_task *task, const struct stn_record *record)
{
	const struct stn_argument *end = task->arguments + task->argument_count;
	XXH3_state_t state;
	XXH128_hash_t key;

	XXH3_128bits_reset(&state);
	XXH3_128bits_update(&state, head->bytes, head->length);
	for (const struct stn_argument *a = task->arguments; a < end; a++) {
		struct stn_buffer buffer;

		if (a->kind != kind)
			continue;
		buffer = stn_buffer_of(a, record);
		hash_buffer(&state, &buffer);
	}
	key = XXH3_128bits_digest(&state);
	return (struct stn_key){ key.low64, key.high64 };
}

struct stn_key
stn_key_inouts(const struct stn_task *task, const struct stn_record *record)
{
	const struct head nothing = { .length = 0 };

	if (!has(task, STN_ARGUMENT_INOUT))
		return (struct stn_key){ 0, 0 };
	return hash_contents(&nothing, STN_ARGUMENT_INOUT, task, record);
}

struct stn_key
stn_key_of(uint64_t hash, const struct stn_task *task,
	   const struct stn_record *record, struct stn_key inouts)
{
	XXH128_hash_t key;
	struct head head;

	key_head(&head, hash, task, record);
	if (has(task, STN_ARGUMENT_INOUT))
		head_put(&head, &inouts, sizeof(inouts));
	if (has(task, STN_ARGUMENT_IN))
		return hash_contents(&head, STN_ARGUMENT_IN, task, record);
	key = XXH3_128bits(head.bytes, head.length);
	return (struct stn_key){ key.low64, key.high64 };
}

uint32_t
stn_key_hint(uint64_t hash, const struct stn_task *task,
	     const struct stn_record *record)
{
	struct head head;

	key_head(&head, hash, task, record);
	return (uint32_t)XXH3_64bits(head.bytes, head.length);
}
