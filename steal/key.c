#include "steal/key.h"

#include <stdatomic.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "steal/buffers.h"

#define KNOWN_BITS 8
#define KNOWN (1u << KNOWN_BITS)
#define PROBES 8

/* The hashed bytes without the contents of buffers. */
struct head {
	size_t length;
	unsigned char bytes[sizeof(uint64_t) + STN_ARGUMENT_BYTES];
};

/*
 * The hashes of tasks that were computed so far, in slots that follow from the
 * task's address. Tasks are constant objects of the whole process, so this is a
 * global variable, and all nodes of the process share it. A slot gets a task
 * once, by a compare-and-swap, and then keeps it. Only the hash of that task is
 * ever written to the slot, so a thread that finds the task there, and a hash
 * that isn't 0, has the right hash. Hence all accesses are relaxed and pair
 * with nothing.
 */
static struct known {
	_Atomic(const struct stn_task *) task;
	_Atomic(uint64_t) hash; /* 0: not yet written */
} known[KNOWN];

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

static uint64_t
hash_task(const struct stn_task *task)
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

/* The slot of @task, or NULL if other tasks have all slots where it may be. */
static struct known *
find_known(const struct stn_task *task)
{
	uint64_t first = (uintptr_t)task * 0x9e3779b97f4a7c15;

	first >>= 64 - KNOWN_BITS;
	for (uint64_t i = first; i < first + PROBES; i++) {
		struct known *slot = &known[i % KNOWN];
		const struct stn_task *there =
			atomic_load_explicit(&slot->task, memory_order_relaxed);

		if (!there &&
		    atomic_compare_exchange_strong_explicit(
			    &slot->task, &there, task, memory_order_relaxed,
			    memory_order_relaxed))
			return slot;
		if (there == task)
			return slot;
	}
	return NULL;
}

static uint64_t
task_hash(const struct stn_task *task)
{
	struct known *slot = find_known(task);
	uint64_t hash = 0;

	if (slot)
		hash = atomic_load_explicit(&slot->hash, memory_order_relaxed);
	if (hash)
		return hash;
	hash = hash_task(task);
	if (slot)
		atomic_store_explicit(&slot->hash, hash, memory_order_relaxed);
	return hash;
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
key_head(struct head *head, const struct stn_task *task,
	 const struct stn_record *record)
{
	const struct stn_argument *end = task->arguments + task->argument_count;
	uint64_t hash = task_hash(task);
	bool contents = false;

	head->length = 0;
	head_put(head, &hash, sizeof(hash));
	for (const struct stn_argument *a = task->arguments; a < end; a++) {
		struct stn_buffer buffer;

		if (a->kind == STN_ARGUMENT_SCALAR) {
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
stn_key_of(const struct stn_task *task, const struct stn_record *record)
{
	XXH128_hash_t hash;
	struct head head;

	if (key_head(&head, task, record))
		hash = hash_contents(&head, task, record);
	else
		hash = XXH3_128bits(head.bytes, head.length);
	return (struct stn_key){ hash.low64, hash.high64 };
}

uint32_t
stn_key_hint(const struct stn_task *task, const struct stn_record *record)
{
	struct head head;

	key_head(&head, task, record);
	return (uint32_t)XXH3_64bits(head.bytes, head.length);
}
