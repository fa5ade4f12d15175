/*
 * shm_ring.h: a ring of messages from one process to another, in memory that
 * both have mapped.
 *
 *	reserve, publish, room		the producer's one thread
 *	next, consume			the consumer's one thread
 *
 * Producer and consumer may run at the same time, without a lock; nothing
 * blocks, and neither waits for the other in any call.
 *
 * A message begins on a line of 64 bytes, with a word that holds its length
 * and its lap; the consumer polls the word of the line at which the next
 * message will begin. So a small message is one line that changes hands, as is
 * a bare flag. The memory is mapped twice in a row: a message that begins near
 * the end goes on behind it.
 *
 * What keeps old bytes from being taken for a word, and messages from being
 * overwritten:
 *
 *  1. The word at which the consumer looks is 0 until its message is published:
 *     the producer clears the word behind a message before it publishes that
 *     message, so it always keeps lines free there.
 *  2. Whoever sees a word sees the bytes of its message, and the cleared word
 *     behind it: the word's release in publish pairs with the acquire in next.
 *  3. Bytes are written again only after they have been read: the release of
 *     the tail in consume pairs with the acquire in reserve.
 *
 * The consumer publishes its tail now and then only (SHM_STRIDE): the
 * producer looks at it only when what it knows to be free is used up.
 *
 * The other side may be broken. The consumer checks each length; the producer,
 * each tail. But bytes of a message may change while one reads them.
 */
#ifndef STN_TRANSPORT_SHM_SHM_RING_H
#define STN_TRANSPORT_SHM_SHM_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transport/error.h"

#define SHM_LINE 64
#define SHM_RING_BYTES ((size_t)256 << 10) /* a multiple of any page */
#define SHM_STRIDE (SHM_RING_BYTES / 4)
#define SHM_WORD_BYTES sizeof(uint64_t)
#define SHM_FRONT_BYTES (SHM_LINE - SHM_WORD_BYTES)
#define SHM_CLEAN 8 /* lines that are kept free behind the last message */

/* The longest message; one always fits when the consumer has read all. */
#define SHM_MOST_BYTES ((size_t)64 << 10)

_Static_assert(SHM_MOST_BYTES + SHM_WORD_BYTES + (1 + SHM_CLEAN) * SHM_LINE <=
		       SHM_RING_BYTES - SHM_STRIDE,
	       "a message fits though the tail isn't published yet");

/* Positions count bytes since the beginning, and never wrap. */
typedef _Atomic(uint64_t) shm_position;

struct shm_producer {
	unsigned char *bytes;	  /* the ring, mapped twice in a row */
	const shm_position *tail; /* the consumer's */
	uint64_t head;		  /* where the next message begins */
	uint64_t end;		  /* up to which all is known to be free */
	uint64_t clean;		  /* words in [head, clean) are 0 */
};

struct shm_consumer {
	unsigned char *bytes;
	shm_position *tail;
	uint64_t at, published;
};

/*
 * shm_producer_init, shm_consumer_init: the ends of a ring whose
 * memory and *@tail are 0.
 */
void shm_producer_init(struct shm_producer *producer, unsigned char *bytes,
		       const shm_position *tail);
void shm_consumer_init(struct shm_consumer *consumer, unsigned char *bytes,
		       shm_position *tail);

/*
 * shm_ring_reserve: room for a message of @size bytes, from 1 to
 * SHM_MOST_BYTES. NULL: there is none now. The caller writes what follows
 * the message's first SHM_FRONT_BYTES to where this points, on a line's
 * beginning. Nothing is owed: it may also leave, and reserve later.
 */
unsigned char *shm_ring_reserve(struct shm_producer *producer, size_t size);

/*
 * shm_ring_publish: writes the front of the message of @size bytes that was
 * reserved last; the rest is there.
 */
void shm_ring_publish(struct shm_producer *producer,
		      const unsigned char front[SHM_FRONT_BYTES], size_t size);

/*
 * shm_ring_next: the oldest message that has not been consumed.
 * @bytes_p, @size_p  set to 0 if there is none
 * Returns STN_OK, or STN_MALFORMED if there can be no message of that length:
 * then the rest of the ring can't be read.
 */
STN_CHECKED enum stn_err shm_ring_next(const struct shm_consumer *consumer,
				       const unsigned char **bytes_p,
				       size_t *size_p);

/*
 * shm_ring_consume: lets go of the message that shm_ring_next gave, of @size
 * bytes. True if the tail was published, so that the producer may have room.
 */
bool shm_ring_consume(struct shm_consumer *consumer, size_t size);

#endif
