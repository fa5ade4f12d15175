/*
 * Each record that is pushed is run exactly once, by its owner or by a thief,
 * however pushes, pops and steals meet. Done with the membarrier and, as where
 * the kernel has none, with fences on both sides.
 */
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "steal/deque.h"
#include "tests/tap.h"

#define SLOTS 16
#define THIEVES 3
#define STEALS 5000 /* it goes on until thieves have got so many */

static void
run_count(struct stn_deque *deque, struct stn_record *record,
	  struct stn_record *head)
{
	int times;

	(void)deque;
	(void)head;
	memcpy(&times, record->arguments, sizeof(times));
	*(int *)record->place += times;
}

static const struct stn_task count = { .name = "count", .run = run_count };

struct arena {
	struct stn_deque deque;
	_Atomic(bool) over;
	_Atomic(unsigned) stolen;
};

static void *
thief_main(void *arg)
{
	struct arena *arena = arg;

	while (!arena->over) {
		struct stn_record *record =
			stn_deque_steal(&arena->deque, STN_THIEF_WORKER);

		if (!record) {
			sched_yield();
			continue;
		}
		record->task->run(NULL, record, NULL);
		arena->stolen++;
		stn_deque_done(record);
	}
	return NULL;
}

static void
push(struct stn_frame *frame, int *place)
{
	const int once = 1;

	memcpy(frame->head->arguments, &once, sizeof(once));
	stn_push(frame, &count, place);
}

/* What stn_sync does, with a wait in place of the worker's search for work. */
static void
sync_one(struct stn_frame *frame)
{
	struct stn_deque *deque = frame->deque;
	struct stn_record *record = --frame->head;

	if (stn_pop(deque, record) ||
	    stn_deque_reclaim(deque, record) == STN_THIEF_NONE) {
		record->task->run(deque, record, record);
		return;
	}
	while (!stn_deque_is_done(record))
		sched_yield();
	stn_deque_free(deque, record);
}

/* One to SLOTS records, some of which are synced before others are pushed. */
static bool
round_of(struct arena *arena, unsigned round)
{
	struct stn_record *slots = arena->deque.slots;
	struct stn_frame frame = { &arena->deque, slots, slots };
	int places[2 * SLOTS] = { 0 };
	unsigned pushed = 0, records = 1 + round % SLOTS;

	while (pushed < records)
		push(&frame, &places[pushed++]);
	if (round % 4 == 0)
		sched_yield(); /* or few thieves get in on few processors */
	for (unsigned i = 0; i < records / 2; i++)
		sync_one(&frame);
	for (unsigned i = 0; i < records / 2; i++)
		push(&frame, &places[pushed++]);
	while (frame.head != frame.base)
		sync_one(&frame);
	for (unsigned i = 0; i < pushed; i++)
		if (places[i] != 1)
			return false;
	return true;
}

static void
stress(bool fenced, unsigned rounds)
{
	static struct arena arena;
	pthread_t thieves[THIEVES];
	unsigned done = 0, right = 0;

	arena.over = false;
	arena.stolen = 0;
	if (stn_deque_init(&arena.deque, SLOTS)) {
		tap_ok(false, "a deque of %d slots is made", SLOTS);
		return;
	}
	arena.deque.fenced |= fenced;
	for (int i = 0; i < THIEVES; i++)
		pthread_create(&thieves[i], NULL, thief_main, &arena);
	while (done < rounds || arena.stolen < STEALS) {
		right += round_of(&arena, done);
		done++;
	}
	arena.over = true;
	for (int i = 0; i < THIEVES; i++)
		pthread_join(thieves[i], NULL);
	tap_ok(right == done,
	       "%s: each record of %u rounds is run exactly once, %u of them "
	       "by thieves",
	       fenced ? "fences" : "membarrier", done, arena.stolen);
	stn_deque_fini(&arena.deque);
}

static void
test_order(void)
{
	static struct stn_deque deque;
	struct stn_frame frame = { &deque, NULL, NULL };
	int places[3] = { 0 };
	bool oldest = true;

	if (stn_deque_init(&deque, SLOTS))
		return;
	frame.head = frame.base = deque.slots;
	tap_ok(!stn_deque_steal(&deque, STN_THIEF_NODE),
	       "nothing is stolen from an empty deque");
	for (int i = 0; i < 3; i++)
		push(&frame, &places[i]);
	for (int i = 0; i < 3; i++)
		oldest = oldest && stn_deque_steal(&deque, STN_THIEF_NODE) ==
					   &deque.slots[i];
	tap_ok(oldest, "thieves take the oldest record first");
	tap_ok(!stn_deque_steal(&deque, STN_THIEF_NODE), "and no record twice");
	for (int i = 0; i < 3; i++)
		stn_deque_done(&deque.slots[i]);
	while (frame.head != frame.base)
		sync_one(&frame);
	push(&frame, &places[0]);
	tap_ok(stn_deque_steal(&deque, STN_THIEF_NODE) == deque.slots,
	       "slots that came back are stolen from again");
	stn_deque_done(deque.slots);
	sync_one(&frame);
	stn_deque_fini(&deque);
}

int
main(void)
{
	tap_begin();
	test_order();
	stress(false, 30000);
	stress(true, 100000);
	return tap_end();
}
