/*
 * orphans.c: which results and pointers the table of orphans keeps, and that
 * its filter hides no key.
 */
#include <pthread.h>

#include "node/random.h"
#include "tests/steal/orphans_table.h"
#include "tests/tap.h"

#define MANY 60000

static void
test_empty(void)
{
	struct stn_orphans orphans;
	bool maybe = false;

	init(&orphans, 10, 100, 10);
	for (uint32_t hint = 0; hint < 1000; hint++)
		maybe |= stn_orphans_maybe(&orphans, hint);
	tap_ok(!maybe && lacks(&orphans, 0) && !stn_orphans_count(&orphans) &&
		       !stn_orphans_remove(&orphans, key(0)) &&
		       !stn_orphans_forget_holder(&orphans, 0),
	       "an empty table has nothing");
	stn_orphans_fini(&orphans);
}

static void
test_keep(void)
{
	struct stn_orphans orphans;

	init(&orphans, 10, 100, 10);
	tap_ok(keep(&orphans, 1, 1, MS - 1) == STN_REFUSED &&
		       lacks(&orphans, 1) && !stn_orphans_count(&orphans),
	       "the result of a call below 1 ms is refused");
	tap_ok(!keep(&orphans, 1, 20, MS) && has_result(&orphans, 1, 20) &&
		       orphans.stored_bytes == 20 &&
		       stn_orphans_find(&orphans, key(1))->cost_ns == MS,
	       "that of a call of 1 ms is stored");
	tap_ok(!keep(&orphans, 1, 30, 9 * MS) && has_result(&orphans, 1, 20) &&
		       orphans.stored_count == 1,
	       "a second result of a key is dropped");
	tap_ok(!stn_orphans_keep(&orphans, key(2), 2, NULL, 0, MS, 0) &&
		       has_result(&orphans, 2, 0),
	       "a result may have no bytes");
	tap_ok(stn_orphans_remove(&orphans, key(1)) && lacks(&orphans, 1) &&
		       has_result(&orphans, 2, 0) && !orphans.stored_bytes &&
		       stn_orphans_count(&orphans) == 1,
	       "one key is removed");
	stn_orphans_fini(&orphans);
}

static void
test_pointers(void)
{
	struct stn_orphans orphans;

	init(&orphans, 10, 100, 3);
	tap_ok(!learn(&orphans, 1, 7) && has_pointer(&orphans, 1, 7) &&
		       !learn(&orphans, 1, 8) && has_pointer(&orphans, 1, 8) &&
		       stn_orphans_count(&orphans) == 1,
	       "of two announcements of a key the newest stays");
	learn(&orphans, 2, 9);
	learn(&orphans, 3, 8);
	tap_ok(stn_orphans_forget_holder(&orphans, 8) == 2 &&
		       lacks(&orphans, 1) && has_pointer(&orphans, 2, 9) &&
		       lacks(&orphans, 3) && !stn_orphans_maybe(&orphans, 1),
	       "all pointers to one node are forgotten, and no others");
	learn(&orphans, 4, 1);
	learn(&orphans, 5, 1);
	learn(&orphans, 2, 2);
	learn(&orphans, 6, 1);
	tap_ok(orphans.pointer_count == 3 && lacks(&orphans, 4) &&
		       has_pointer(&orphans, 5, 1) &&
		       has_pointer(&orphans, 2, 2) &&
		       has_pointer(&orphans, 6, 1),
	       "a full table forgets the oldest announcement");
	tap_ok(!keep(&orphans, 5, 10, MS) && has_result(&orphans, 5, 10) &&
		       orphans.pointer_count == 2 && orphans.stored_count == 1,
	       "a result replaces the pointer");
	tap_ok(!learn(&orphans, 5, 3) && has_result(&orphans, 5, 10) &&
		       orphans.pointer_count == 2,
	       "a pointer doesn't replace the result");
	tap_ok(!stn_orphans_forget_holder(&orphans, 3) &&
		       stn_orphans_forget_holder(&orphans, 1) == 1 &&
		       has_result(&orphans, 5, 10),
	       "the death of an earlier holder doesn't remove the result");
	stn_orphans_fini(&orphans);
	init(&orphans, 10, 100, 0);
	tap_ok(!learn(&orphans, 1, 1) && !stn_orphans_count(&orphans),
	       "a table may be without pointers");
	stn_orphans_fini(&orphans);
}

static void
test_bounds(void)
{
	struct stn_orphans orphans;

	init(&orphans, 3, 100, 3);
	keep(&orphans, 1, 10, 10 * MS);
	keep(&orphans, 2, 20, 40 * MS);
	keep(&orphans, 3, 30, 15 * MS);
	tap_ok(keep(&orphans, 4, 10, 4 * MS) == STN_REFUSED &&
		       has_result(&orphans, 1, 10) &&
		       has_result(&orphans, 2, 20) &&
		       has_result(&orphans, 3, 30) && lacks(&orphans, 4),
	       "a full table refuses a result with the fewest ns per byte");
	tap_ok(!keep(&orphans, 4, 10, 6 * MS) && lacks(&orphans, 3) &&
		       has_result(&orphans, 4, 10),
	       "else it drops that with the fewest, not that with the least "
	       "time or most bytes");
	tap_ok(keep(&orphans, 5, 101, 1000 * MS) == STN_REFUSED &&
		       orphans.stored_count == 3,
	       "it refuses a result that is larger than its bound");
	tap_ok(keep(&orphans, 5, 95, 150 * MS) == STN_REFUSED &&
		       has_result(&orphans, 1, 10) &&
		       has_result(&orphans, 2, 20) &&
		       has_result(&orphans, 4, 10) &&
		       orphans.stored_bytes == 40,
	       "a large result drops nothing if it doesn't fit in the end");
	tap_ok(!keep(&orphans, 5, 80, 150 * MS) && lacks(&orphans, 1) &&
		       has_result(&orphans, 2, 20) && lacks(&orphans, 4) &&
		       has_result(&orphans, 5, 80) &&
		       orphans.stored_bytes == 100,
	       "it drops several if it then fits exactly");
	stn_orphans_fini(&orphans);
	init(&orphans, 0, 100, 3);
	tap_ok(keep(&orphans, 1, 1, MS) == STN_REFUSED,
	       "a table may be without results");
	stn_orphans_fini(&orphans);
}

static void
test_hold(void)
{
	struct stn_orphans orphans;
	struct stn_orphan *one, *two;

	init(&orphans, 2, 100, 3);
	keep(&orphans, 1, 100, 10 * MS);
	one = stn_orphans_find(&orphans, key(1));
	stn_orphan_hold(one);
	stn_orphan_hold(one);
	tap_ok(!keep(&orphans, 2, 100, 20 * MS) && lacks(&orphans, 1) &&
		       one->size == 100 && !memcmp(one->bytes, "\1\1\1", 3),
	       "a held result survives its eviction");
	stn_orphan_release(one);
	two = stn_orphans_find(&orphans, key(2));
	stn_orphan_hold(two);
	stn_orphans_fini(&orphans);
	tap_ok(!memcmp(one->bytes, "\1\1\1", 3) &&
		       !memcmp(two->bytes, "\2\2\2", 3),
	       "and the end of the table");
	stn_orphan_release(one);
	stn_orphan_release(two);
}

static void
test_supersede(void)
{
	struct stn_orphans orphans;

	init(&orphans, 9, 1000, 9);
	keep(&orphans, 1, 10, MS);
	keep(&orphans, 1, 10, MS);
	stn_orphans_supersede(&orphans, key(1));
	tap_ok(has_result(&orphans, 1, 10),
	       "a result that was kept twice stays if one is superseded");
	stn_orphans_supersede(&orphans, key(1));
	tap_ok(lacks(&orphans, 1) && !stn_orphans_maybe(&orphans, 1),
	       "and goes with the second one");
	learn(&orphans, 2, 4);
	stn_orphans_supersede(&orphans, key(2));
	stn_orphans_supersede(&orphans, key(3));
	tap_ok(has_pointer(&orphans, 2, 4), "pointers are not superseded");
	keep(&orphans, 2, 10, MS);
	stn_orphans_announce(&orphans, 0);
	stn_orphans_supersede(&orphans, key(2));
	tap_ok(has_result(&orphans, 2, 10), "nor is an announced result");
	stn_orphans_fini(&orphans);
}

static void
test_large(void)
{
	struct stn_orphans orphans;
	bool all = true, none = true;
	unsigned wrong = 0;
	struct stn_random random;

	init(&orphans, MANY / 2, 64 << 20, MANY / 2);
	stn_random_seed(&random, 2, 0);
	for (uint32_t i = 0; i < MANY; i++) {
		uint32_t hint = (uint32_t)stn_random_next(&random);

		all &= !(i % 2 ? stn_orphans_learn(&orphans, key(i), hint, i)
			       : stn_orphans_keep(&orphans, key(i), hint,
						  malloc(8), 8, MS, 0));
	}
	tap_ok(all && stn_orphans_count(&orphans) == MANY,
	       "a table holds %d keys", MANY);
	stn_random_seed(&random, 2, 0);
	for (uint32_t i = 0; i < MANY; i++)
		all &= stn_orphans_maybe(&orphans,
					 (uint32_t)stn_random_next(&random));
	tap_ok(all, "its filter has no false negative");
	for (uint32_t i = 0; i < MANY; i++)
		wrong += stn_orphans_maybe(&orphans,
					   (uint32_t)stn_random_next(&random));
	tap_ok(wrong < MANY / 3,
	       "less than a third of other hints pass: %u of %d", wrong, MANY);
	for (uint32_t i = 0; i < MANY; i++)
		all &= stn_orphans_remove(&orphans, key(i));
	for (uint32_t hint = 0; hint <= orphans.mask; hint++)
		none &= !stn_orphans_maybe(&orphans, hint) &&
			!orphans.filter[hint];
	tap_ok(all && none, "when all are removed, no hint passes");
	stn_orphans_fini(&orphans);
}

/* More keys with one hint than a number of the filter can count. */
static void
test_one_hint(void)
{
	struct stn_orphans orphans;
	bool maybe = true;

	init(&orphans, 10, 100, 1000);
	for (unsigned i = 0; i < 600; i++)
		maybe &= !stn_orphans_learn(&orphans, key(i), 5, 0) &&
			 stn_orphans_maybe(&orphans, 5);
	for (unsigned i = 0; i < 600; i++)
		maybe &= stn_orphans_maybe(&orphans, 5) &&
			 stn_orphans_remove(&orphans, key(i));
	tap_ok(maybe, "600 keys may share a hint");
	learn(&orphans, 6, 0);
	tap_ok(!stn_orphans_maybe(&orphans, 5) &&
		       stn_orphans_maybe(&orphans, 6),
	       "which is forgotten after the last of them");
	stn_orphans_fini(&orphans);
}

struct reader {
	struct stn_orphans *orphans;
	_Atomic(bool) stop;
	uint64_t missed;
};

static void *
read_hints(void *arg)
{
	struct reader *reader = arg;

	while (!reader->stop)
		reader->missed += !stn_orphans_maybe(reader->orphans, 5);
	return NULL;
}

/* One key stays, while others with the same hint come and go. */
static void
test_reader(void)
{
	struct stn_orphans orphans;
	struct reader reader = { .orphans = &orphans };
	pthread_t thread;

	init(&orphans, 1000, 1 << 20, 1000);
	if (stn_orphans_learn(&orphans, key(0), 5, 0))
		abort();
	pthread_create(&thread, NULL, read_hints, &reader);
	for (unsigned round = 0; round < 300; round++) {
		for (unsigned i = 1; i < 400; i++)
			if (stn_orphans_learn(&orphans, key(i), i % 2 ? 5 : i,
					      i))
				abort();
		for (unsigned i = 1; i < 400; i++)
			stn_orphans_remove(&orphans, key(i));
	}
	reader.stop = true;
	pthread_join(thread, NULL);
	tap_ok(!reader.missed,
	       "another thread's look-ups never miss a key that stays");
	stn_orphans_fini(&orphans);
}

int
main(void)
{
	tap_begin();
	test_empty();
	test_keep();
	test_pointers();
	test_bounds();
	test_hold();
	test_supersede();
	test_large();
	test_one_hint();
	test_reader();
	return tap_end();
}
