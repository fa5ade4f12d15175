/*
 * ring.c: the shared-memory ring between two processes, tested in one process.
 */
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/tap.h"
#include "transport/shm/shm_ring.h"

#define PRODUCED 100000 /* messages from one thread to another */

static struct ring {
	unsigned char *bytes;
	shm_position tail;
	struct shm_producer out;
	struct shm_consumer in;
} ring;

/* Maps the ring's memory twice in a row, as the ring requires. */
static bool
ring_make(void)
{
	int fd = memfd_create("ring", MFD_CLOEXEC);
	bool made = fd >= 0 && !ftruncate(fd, (off_t)SHM_RING_BYTES);

	ring.bytes = mmap(NULL, 2 * SHM_RING_BYTES, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; made && i < 2; i++)
		made = mmap(ring.bytes + (size_t)i * SHM_RING_BYTES,
			    SHM_RING_BYTES, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED;
	close(fd);
	return made;
}

static void
ring_empty(void)
{
	memset(ring.bytes, 0, SHM_RING_BYTES);
	atomic_store(&ring.tail, 0);
	shm_producer_init(&ring.out, ring.bytes, &ring.tail);
	shm_consumer_init(&ring.in, ring.bytes, &ring.tail);
}

static unsigned char
content(uint32_t number, size_t at)
{
	return (unsigned char)(number * 31 + at * 7 + (at >> 8));
}

/* Puts a message in; false if there is no room. */
static bool
put(uint32_t number, size_t size)
{
	unsigned char *bytes = shm_ring_reserve(&ring.out, size);

	if (!bytes)
		return false;
	for (size_t i = size; i-- > 0;)
		bytes[i] = content(number, i);
	shm_ring_publish(&ring.out, size);
	return true;
}

enum got { NOTHING, RIGHT, WRONG };

/* Takes a message out, and compares it with the expected one. */
static enum got
get(uint32_t number, size_t size)
{
	const unsigned char *bytes;
	bool right = true;
	size_t length;

	if (shm_ring_next(&ring.in, &bytes, &length))
		return WRONG;
	if (!bytes)
		return NOTHING;
	for (size_t i = 0; i < length; i++)
		right = right && bytes[i] == content(number, i);
	shm_ring_consume(&ring.in, length);
	return right && length == size ? RIGHT : WRONG;
}

static void
test_sizes(void)
{
	bool right = true;
	uint32_t number = 0;

	ring_empty();
	for (size_t size = 1; size <= SHM_MOST_BYTES;
	     size += size < 4200 ? 1 : 997) {
		right = right && get(number, size) == NOTHING &&
			put(number, size) && get(number, size) == RIGHT;
		number++;
	}
	right = right && put(0, SHM_MOST_BYTES) &&
		get(0, SHM_MOST_BYTES) == RIGHT;
	tap_ok(right && ring.in.at > 10 * SHM_RING_BYTES,
	       "a message of every size comes out as it was put in, also "
	       "across the ring's end");
}

/*
 * Puts messages in from this number on until the ring is full; returns how
 * many.
 */
static uint32_t
fill(uint32_t number, size_t size)
{
	uint32_t count = 0;

	while (put(number + count, size))
		count++;
	return count;
}

static bool
drain(uint32_t number, uint32_t count, size_t size)
{
	bool right = true;

	while (count--)
		right = right && get(number++, size) == RIGHT;
	return right && get(number, size) == NOTHING;
}

static void
test_full(void)
{
	const size_t sizes[] = { 1, 56, 57, 1000, 8192, SHM_MOST_BYTES };
	bool right = true;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint32_t number = 0, count;

		ring_empty();
		for (unsigned lap = 0; lap < 20; lap++) {
			count = fill(number, sizes[i]);
			right = right && count && !put(0, sizes[i]) &&
				drain(number, count, sizes[i]);
			number += count;
		}
		right = right && put(0, SHM_MOST_BYTES) &&
			drain(0, 1, SHM_MOST_BYTES);
	}
	tap_ok(right, "a full ring refuses messages and loses none; reading "
		      "makes room for the longest");
}

static void
test_room(void)
{
	const unsigned char *bytes;
	uint32_t count, read = 0;
	bool room = false;
	size_t size;

	ring_empty();
	count = fill(0, 1000);
	while (!room && !shm_ring_next(&ring.in, &bytes, &size) && bytes) {
		room = shm_ring_consume(&ring.in, size);
		read += !room;
		if (!room)
			room = put(0, 1000);
	}
	tap_ok(room && read < count && put(count, 1000),
	       "the consumer says when there is room again, and there is none "
	       "before");
}

/* The word that a message of this size has at a position. */
static uint64_t
word(uint64_t at, size_t size)
{
	return at / SHM_RING_BYTES << 32 | size;
}

/*
 * All bytes of all messages are words that would be valid in the next lap. If
 * one is left at the consumer's position, the consumer takes it for a message.
 */
static void
test_stale(void)
{
	static unsigned char lies[SHM_MOST_BYTES + SHM_LINE];
	const unsigned char *bytes;
	bool right = true;
	size_t size;

	ring_empty();
	for (unsigned i = 0; i < 20000 && right; i++) {
		size_t length = 1 + i * 37 % 1500;
		uint64_t lie = word(ring.out.head + SHM_RING_BYTES, 8);
		unsigned char *at = shm_ring_reserve(&ring.out, length);

		for (size_t j = 0; j < sizeof(lies); j += sizeof(lie))
			memcpy(lies + j, &lie, sizeof(lie));
		memcpy(at, lies,
		       length > SHM_FRONT_BYTES ? length : SHM_FRONT_BYTES);
		shm_ring_publish(&ring.out, length);
		right = !shm_ring_next(&ring.in, &bytes, &size) && bytes &&
			size == length;
		shm_ring_consume(&ring.in, size);
		right = right && !shm_ring_next(&ring.in, &bytes, &size) &&
			!bytes && !size;
	}
	tap_ok(right, "bytes of an earlier lap are never taken for a message");
}

/* Does the consumer reject a word that no producer of ours writes? */
static bool
is_malformed(uint64_t lie)
{
	const unsigned char *bytes;
	enum stn_err err;
	size_t size;

	memcpy(ring.bytes + ring.in.at % SHM_RING_BYTES, &lie, sizeof(lie));
	err = shm_ring_next(&ring.in, &bytes, &size);
	return err == STN_MALFORMED && !bytes && !size;
}

static void
test_broken_producer(void)
{
	ring_empty();
	while (ring.in.at < SHM_RING_BYTES)
		if (!put(0, 5000) || get(0, 5000) != RIGHT)
			break;
	tap_ok(is_malformed(word(ring.in.at, 0)) &&
		       is_malformed(word(ring.in.at, SHM_MOST_BYTES + 1)) &&
		       is_malformed(word(ring.in.at, UINT32_MAX)) &&
		       is_malformed(UINT64_MAX),
	       "a length that no message can have is malformed");
	tap_ok(is_malformed(word(0, 8)) &&
		       is_malformed(word(2 * SHM_RING_BYTES, 8)) &&
		       is_malformed(1ull << 63 | word(ring.in.at, 8)),
	       "a message of another lap is malformed");
	tap_ok(!is_malformed(word(ring.in.at, 8)),
	       "a message of this lap is not");
}

static bool
takes(uint64_t tail, size_t size)
{
	atomic_store(&ring.tail, tail);
	return shm_ring_reserve(&ring.out, size);
}

static void
test_broken_consumer(void)
{
	uint32_t count;
	uint64_t head;

	ring_empty();
	count = fill(0, 5000);
	head = ring.out.head;
	tap_ok(!takes(head + 1, 5000) && !takes(UINT64_MAX, 5000) &&
		       !takes(head + SHM_RING_BYTES, 5000) &&
		       !takes(head - SHM_RING_BYTES - 1, 5000),
	       "an impossible tail of a broken consumer makes no room");
	atomic_store(&ring.tail, 0);
	tap_ok(drain(0, count, 5000) && put(0, 5000),
	       "a correct tail after it makes room");
}

static size_t
produced_size(uint32_t number)
{
	if (number % 64 == 7)
		return 1 + number * 97 % 30000;
	return 1 + number * 13 % 300;
}

static void *
produce(void *arg)
{
	for (uint32_t i = 0; i < PRODUCED; i++)
		while (!put(i, produced_size(i)))
			sched_yield();
	return arg;
}

static void
test_threads(void)
{
	enum got got = RIGHT;
	pthread_t producer;
	uint32_t i;

	ring_empty();
	pthread_create(&producer, NULL, produce, NULL);
	for (i = 0; i < PRODUCED && got != WRONG; i += got == RIGHT) {
		got = get(i, produced_size(i));
		if (got == NOTHING)
			sched_yield();
	}
	if (got == RIGHT)
		pthread_join(producer, NULL);
	tap_ok(got == RIGHT && get(0, 0) == NOTHING,
	       "%u messages from one thread to another arrive whole and in "
	       "order",
	       i);
}

int
main(void)
{
	tap_begin();
	if (!tap_ok(ring_make(), "a ring can be mapped"))
		return tap_end();
	test_sizes();
	test_full();
	test_room();
	test_stale();
	test_broken_producer();
	test_broken_consumer();
	test_threads();
	munmap(ring.bytes, 2 * SHM_RING_BYTES);
	return tap_end();
}
