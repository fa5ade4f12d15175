/*
 * shm_ring.h: a ring of messages from one process to another, in memory that
 * both have mapped.
 *
 *	reserve, publish	the producer's only thread
 *	next, consume		the consumer's only thread
 *	is_empty		any thread of the consumer
 *
 * Producer and consumer may run at the same time, without a lock. No call
 * blocks, or waits for the other side.
 *
 * A message begins on a pair of lines of 64 bytes, with a word that holds its
 * length and its lap. The consumer polls the word of the pair where the next
 * message will begin. So a small message moves one line from cache to cache, as
 * a bare flag would. A longer one finds its second line fetched with the first:
 * processors fetch aligned pairs. For this a message that fits into one line
 * takes a pair, 128 bytes of the ring. The ring is mapped twice in a row: a
 * message that begins near the end of the ring continues in the second mapping.
 *
 * Three rules keep old bytes from being taken for a word, and messages from
 * being overwritten:
 *
 * 1. The word that the consumer polls is 0 until its message is published. The
 *    producer clears the word behind a message before it publishes the message.
 *    So it always keeps lines free there.
 * 2. A consumer that sees a word also sees the bytes of its message, and the
 *    cleared word behind it: the word's release in publish pairs with the
 *    acquire in next.
 * 3. Bytes are written again only after they have been read: the release of the
 *    tail in consume pairs with the acquire in reserve.
 *
 * The consumer publishes its tail once per SHM_STRIDE bytes. The producer reads
 * the tail only when it has used up the space that it knows to be free.
 *
 * The other process may be broken. The consumer checks each length, the
 * producer each tail. But the bytes of a message may change while the consumer
 * reads them.
 */
#ifndef STN_TRANSPORT_SHM_SHM_RING_H
#define STN_TRANSPORT_SHM_SHM_RING_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transport/error.h"

#define SHM_LINE 64
#define SHM_PAIR (2 * SHM_LINE) /* lines that processors fetch together */
#define SHM_RING_BYTES ((size_t)256 << 10) /* a multiple of every page size */
#define SHM_STRIDE (SHM_RING_BYTES / 4)
#define SHM_WORD_BYTES sizeof(uint64_t)
#define SHM_FRONT_BYTES (SHM_LINE - SHM_WORD_BYTES)
#define SHM_CLEAN 4 /* pairs kept free behind the last message */

/* The longest message. It always fits when the consumer has read everything. */
#define SHM_MOST_BYTES ((size_t)64 << 10)

_Static_assert(!(SHM_RING_BYTES & (SHM_RING_BYTES - 1)), "a power of two");
_Static_assert(SHM_MOST_BYTES + SHM_WORD_BYTES + (1 + SHM_CLEAN) * SHM_PAIR <=
		       SHM_RING_BYTES - SHM_STRIDE,
	       "a message fits though the tail isn't published yet");

/* Positions count the bytes since the beginning. They never wrap. */
typedef _Atomic(uint64_t) shm_position;

struct shm_producer {
	unsigned char *bytes;	  /* the ring, mapped twice in a row */
	const shm_position *tail; /* the consumer's */
	uint64_t head;		  /* where the next message begins */
	uint64_t end;		  /* everything before it is known to be free */
	uint64_t clean;		  /* words in [head, clean) are 0 */
};

struct shm_consumer {
	unsigned char *bytes;
	shm_position *tail;
	uint64_t at, published;
};

/*
 * shm_producer_init, shm_consumer_init: the two ends of a ring. The ring's
 * memory and *@tail must be 0.
 */
void shm_producer_init(struct shm_producer *producer, unsigned char *bytes,
		       const shm_position *tail);
void shm_consumer_init(struct shm_consumer *consumer, unsigned char *bytes,
		       shm_position *tail);

/* The word of the pair at a position. Atomic: the other side may access it. */
static inline _Atomic(uint64_t) *
shm_ring_word_(unsigned char *bytes, uint64_t position)
{
	return (_Atomic(uint64_t) *)(bytes + (position & (SHM_RING_BYTES - 1)));
}

static inline uint64_t
shm_ring_make_word_(uint64_t position, size_t size)
{
	return position / SHM_RING_BYTES << 32 | size;
}

/* The size of a message with its word, in whole pairs of lines. */
static inline size_t
shm_ring_pairs_(size_t size)
{
	return (size + SHM_WORD_BYTES + SHM_PAIR - 1) & ~(size_t)(SHM_PAIR - 1);
}

/* Relaxed: the release in shm_ring_publish shows the cleared word. */
static inline void
shm_ring_clear_(struct shm_producer *producer, uint64_t position)
{
	atomic_store_explicit(shm_ring_word_(producer->bytes, position), 0,
			      memory_order_relaxed);
}

/*
 * For shm_ring_reserve: is the ring free up to position @to? Reads the
 * consumer's tail, and ignores it if it is impossible.
 */
bool shm_ring_is_free_(struct shm_producer *producer, uint64_t to);

/*
 * shm_ring_reserve: reserves room for a message of @size bytes, from 1 to
 * SHM_MOST_BYTES. Returns the address for its bytes, or NULL if there is no
 * room now. The first SHM_FRONT_BYTES bytes share a line with the word; the
 * consumer polls this line, and would take it away between two writes. So the
 * caller writes these bytes last, just before it publishes. A caller that does
 * not publish may simply reserve again.
 */
static inline unsigned char *
shm_ring_reserve(struct shm_producer *producer, size_t size)
{
	uint64_t to =
		producer->head + shm_ring_pairs_(size) + SHM_CLEAN * SHM_PAIR;

	assert(size && size <= SHM_MOST_BYTES);
	if (to > producer->end && !shm_ring_is_free_(producer, to))
		return NULL;
	return (unsigned char *)shm_ring_word_(producer->bytes,
					       producer->head) +
	       SHM_WORD_BYTES;
}

/*
 * For shm_ring_publish, after a small message was published, when no peer waits
 * for this. Clears the words of the pairs for the next messages. Since the last
 * lap these lines are in the consumer's cache; fetching them one by one when
 * they are needed would take longer than the message. (Long copies write whole
 * lines without fetching them.)
 */
static inline void
shm_ring_clean_ahead_(struct shm_producer *producer)
{
	uint64_t end = producer->head + SHM_CLEAN * SHM_PAIR;

	if (producer->clean < producer->head)
		producer->clean = producer->head;
	for (; producer->clean < end; producer->clean += SHM_PAIR) {
		shm_ring_clear_(producer, producer->clean);
		/* fetches the second line */
		shm_ring_clear_(producer, producer->clean + SHM_LINE);
	}
}

/*
 * shm_ring_publish: publishes the message of @size bytes that was reserved
 * last, and that the caller has written.
 */
static inline void
shm_ring_publish(struct shm_producer *producer, size_t size)
{
	uint64_t at = producer->head, next = at + shm_ring_pairs_(size);

	if (next >= producer->clean)
		shm_ring_clear_(producer, next);
	/* Pairs with the acquires in shm_ring_is_empty and shm_ring_next. */
	atomic_store_explicit(shm_ring_word_(producer->bytes, at),
			      shm_ring_make_word_(at, size),
			      memory_order_release);
	producer->head = next;
	if (next - at <= SHM_CLEAN * SHM_PAIR)
		shm_ring_clean_ahead_(producer);
}

/*
 * shm_ring_is_empty: is there no message that has not been consumed? A hint if
 * another thread consumes messages meanwhile.
 */
static inline bool
shm_ring_is_empty(const struct shm_consumer *consumer)
{
	/* Relaxed: a hint. Pairs with nothing. */
	uint64_t at = __atomic_load_n(&consumer->at, __ATOMIC_RELAXED);

	/* Pairs with the release in shm_ring_publish. */
	return !atomic_load_explicit(shm_ring_word_(consumer->bytes, at),
				     memory_order_acquire);
}

/*
 * shm_ring_next: finds the oldest message that has not been consumed.
 * @bytes_p, @size_p  set to 0 if there is no message
 * Returns STN_OK, or STN_MALFORMED if no message can have that length. Then the
 * rest of the ring is unreadable.
 */
STN_CHECKED static inline enum stn_err
shm_ring_next(const struct shm_consumer *consumer,
	      const unsigned char **bytes_p, size_t *size_p)
{
	_Atomic(uint64_t) *at = shm_ring_word_(consumer->bytes, consumer->at);
	/* Pairs with the release in shm_ring_publish. */
	uint64_t word = atomic_load_explicit(at, memory_order_acquire);
	uint64_t size = word & UINT32_MAX;

	*bytes_p = NULL;
	*size_p = 0;
	if (!word)
		return STN_OK;
	if (!size || size > SHM_MOST_BYTES ||
	    word != shm_ring_make_word_(consumer->at, size))
		return STN_MALFORMED;
	*bytes_p = (const unsigned char *)at + SHM_WORD_BYTES;
	*size_p = size;
	return STN_OK;
}

/*
 * shm_ring_prefetch_next: begins to fetch the line where the next message
 * begins, after this one of @size bytes. The producer has written
 * that line; without this call the consumer would wait for it after it has
 * handled this message.
 */
static inline void
shm_ring_prefetch_next(const struct shm_consumer *consumer, size_t size)
{
	uint64_t next = consumer->at + shm_ring_pairs_(size);

	__builtin_prefetch((const void *)shm_ring_word_(consumer->bytes, next));
}

/*
 * shm_ring_consume: releases the message of @size bytes that shm_ring_next
 * found. Returns true if the tail was published, so that the producer may have
 * room.
 */
static inline bool
shm_ring_consume(struct shm_consumer *consumer, size_t size)
{
	/* Relaxed, like the load in shm_ring_is_empty. */
	__atomic_store_n(&consumer->at, consumer->at + shm_ring_pairs_(size),
			 __ATOMIC_RELAXED);
	if (consumer->at - consumer->published < SHM_STRIDE)
		return false;
	/* Pairs with the acquire in shm_ring_is_free_. */
	atomic_store_explicit(consumer->tail, consumer->at,
			      memory_order_release);
	consumer->published = consumer->at;
	return true;
}

#endif
