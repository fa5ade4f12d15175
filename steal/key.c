#include "steal/key.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "steal/buffers.h"

/* The hashed bytes without the contents of buffers. */
struct head {
	size_t length;
	unsigned char bytes[sizeof(uint64_t) + STN_ARGUMENT_BYTES];
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

/* Fills @head; returns whether the task has in or inout buffers. */
static bool
key_head(struct head *head, uint64_t hash, const struct stn_task *task,
	 const struct stn_record *record)
{
	const struct stn_argument *end = task->arguments + task->argument_count;
	bool contents = false;

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
		contents |= a->kind != STN_ARGUMENT_OUT;
	}
	return contents;
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

static XXH128_hash_t
hash_contents(const struct head *head, const struct stn_task *task,
	      const struct stn_record *record)
{
	const struct stn_argument *end = task->arguments + task->argument_count;
	XXH3_state_t state;

	XXH3_128bits_reset(&state);
	XXH3_128bits_update(&state, head->bytes, head->length);
	for (const struct stn_argument *a = task->arguments; a < end; a++) {
		struct stn_buffer buffer;

		if (a->kind != STN_ARGUMENT_IN && a->kind != STN_ARGUMENT_INOUT)
			continue;
		buffer = stn_buffer_of(a, record);
		hash_buffer(&state, &buffer);
	}
	return XXH3_128bits_digest(&state);
}

struct stn_key
stn_key_of(uint64_t hash, const struct stn_task *task,
	   const struct stn_record *record)
{
	XXH128_hash_t key;
	struct head head;

	if (key_head(&head, hash, task, record))
		key = hash_contents(&head, task, record);
	else
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
