#include "transport/shm/shm_ring.h"

#include <assert.h>

#define MASK (SHM_RING_BYTES - 1)

_Static_assert(!(SHM_RING_BYTES & MASK), "a power of two");

/* The word of a line. It is atomic because the other side may access it. */
static _Atomic(uint64_t) *
word_at(unsigned char *bytes, uint64_t position)
{
	return (_Atomic(uint64_t) *)(bytes + (position & MASK));
}

static uint64_t
make_word(uint64_t position, size_t size)
{
	return position / SHM_RING_BYTES << 32 | size;
}

/* The size of a message with its word, in whole lines. */
static size_t
lines_bytes(size_t size)
{
	return (size + SHM_WORD_BYTES + SHM_LINE - 1) & ~(size_t)(SHM_LINE - 1);
}

void
shm_producer_init(struct shm_producer *producer, unsigned char *bytes,
		  const shm_position *tail)
{
	*producer = (struct shm_producer){
		.bytes = bytes,
		.tail = tail,
		.end = SHM_RING_BYTES,
		.clean = SHM_RING_BYTES,
	};
}

void
shm_consumer_init(struct shm_consumer *consumer, unsigned char *bytes,
		  shm_position *tail)
{
	*consumer = (struct shm_consumer){ .bytes = bytes, .tail = tail };
}

/*
 * Is the ring free up to position @to? Reads the consumer's tail if necessary,
 * and ignores it if it is impossible.
 */
static bool
is_free(struct shm_producer *producer, uint64_t to)
{
	uint64_t tail;

	if (to <= producer->end)
		return true;
	tail = atomic_load_explicit(producer->tail, memory_order_acquire);
	if (producer->head - tail > SHM_RING_BYTES)
		return false;
	producer->end = tail + SHM_RING_BYTES;
	return to <= producer->end;
}

unsigned char *
shm_ring_reserve(struct shm_producer *producer, size_t size)
{
	uint64_t next = producer->head + lines_bytes(size);

	assert(size && size <= SHM_MOST_BYTES);
	if (!is_free(producer, next + SHM_CLEAN * SHM_LINE))
		return NULL;
	return producer->bytes + (producer->head & MASK) + SHM_WORD_BYTES;
}

static void
clear(struct shm_producer *producer, uint64_t position)
{
	atomic_store_explicit(word_at(producer->bytes, position), 0,
			      memory_order_relaxed);
}

/*
 * Runs after a small message was published, when no peer waits for this. Clears
 * the words of the lines for the next messages. Since the last lap these lines
 * are in the consumer's cache; fetching them one by one when they are needed
 * would take longer than the message. (Long copies write whole lines without
 * fetching them.)
 */
static void
clean_ahead(struct shm_producer *producer)
{
	uint64_t end = producer->head + SHM_CLEAN * SHM_LINE;

	if (producer->clean < producer->head)
		producer->clean = producer->head;
	for (; producer->clean < end; producer->clean += SHM_LINE)
		clear(producer, producer->clean);
}

void
shm_ring_publish(struct shm_producer *producer, size_t size)
{
	uint64_t at = producer->head, next = at + lines_bytes(size);

	if (next >= producer->clean)
		clear(producer, next);
	atomic_store_explicit(word_at(producer->bytes, at), make_word(at, size),
			      memory_order_release);
	producer->head = next;
	if (next - at <= SHM_CLEAN * SHM_LINE)
		clean_ahead(producer);
}

enum stn_err
shm_ring_next(const struct shm_consumer *consumer,
	      const unsigned char **bytes_p, size_t *size_p)
{
	uint64_t at = consumer->at, word, size;

	word = atomic_load_explicit(word_at(consumer->bytes, at),
				    memory_order_acquire);
	*bytes_p = NULL;
	*size_p = 0;
	if (!word)
		return STN_OK;
	size = word & UINT32_MAX;
	if (!size || size > SHM_MOST_BYTES || word != make_word(at, size))
		return STN_MALFORMED;
	*bytes_p = consumer->bytes + (at & MASK) + SHM_WORD_BYTES;
	*size_p = size;
	return STN_OK;
}

bool
shm_ring_consume(struct shm_consumer *consumer, size_t size)
{
	consumer->at += lines_bytes(size);
	if (consumer->at - consumer->published < SHM_STRIDE)
		return false;
	atomic_store_explicit(consumer->tail, consumer->at,
			      memory_order_release);
	consumer->published = consumer->at;
	return true;
}
