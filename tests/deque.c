/*
 * Each record that is pushed is run exactly once, by its owner or by a thief,
 * however pushes, offers, pops and steals meet; also where the kernel has no
 * membarrier.
 */
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "steal/deque.h"
#include "tests/tap.h"

#define SLOTS 16
#define RECORDS (2 * SLOTS)
#define THIEVES 3
#define STEALS 5000 /* it goes on until thieves have got so many */

/* Its argument is where to count a run. */
static void
run_count(struct stn_deque *deque, const struct stn_record *record,
	  struct stn_record *head, void *result)
{
	int *runs;

	(void)deque;
	(void)head;
	(void)result;
	memcpy(&runs, record->arguments, sizeof(runs));
	(*runs)++;
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
		stn_deque_task(record)->run(NULL, record, NULL, NULL);
		arena->stolen++;
		stn_deque_done(record);
	}
	return NULL;
}

/* As spawns do: some records are offered, all of them if there is no claim. */
static void
push(struct stn_frame *frame, int *runs, bool offered)
{
	memcpy(frame->head->arguments, &runs, sizeof(runs));
	if (offered || frame->deque->fenced)
		stn_deque_push(frame->deque, frame->head, &count);
	else
		stn_push(frame->head, &count);
	frame->head++;
}

/* As STN_SYNC, with a wait in place of the worker's search for work. */
static void
sync_one(struct stn_frame *frame)
{
	struct stn_deque *deque = frame->deque;
	struct stn_record *record = --frame->head;

	if (stn_pop(record) ||
	    stn_deque_retake(deque, record) == STN_THIEF_NONE) {
		run_count(deque, record, record, NULL);
		return;
	}
	while (!stn_deque_is_done(record))
		sched_yield();
	stn_deque_free(deque, record);
}

static void
push_next(struct stn_frame *frame, int *runs, unsigned *pushed, unsigned offer)
{
	push(frame, &runs[*pushed], offer && *pushed % offer == 0);
	++*pushed;
}

/*
 * One to SLOTS records, some of which are synced before others are pushed, and
 * every @offer-th of which is offered.
 */
static bool
round_of(struct arena *arena, unsigned round, unsigned offer)
{
	struct stn_record *slots = arena->deque.slots;
	struct stn_frame frame = { &arena->deque, slots, 0 };
	int runs[RECORDS] = { 0 };
	unsigned pushed = 0, records = 1 + round % SLOTS;

	while (pushed < records)
		push_next(&frame, runs, &pushed, offer);
	if (round % 4 == 0)
		sched_yield(); /* or few thieves get in on few processors */
	for (unsigned i = 0; i < records / 2; i++)
		sync_one(&frame);
	for (unsigned i = 0; i < records / 2; i++)
		push_next(&frame, runs, &pushed, offer);
	while (frame.head != slots)
		sync_one(&frame);
	for (unsigned i = 0; i < pushed; i++)
		if (runs[i] != 1)
			return false;
	return true;
}

static void
stress(const char *what, bool fenced, unsigned offer, unsigned rounds)
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
		right += round_of(&arena, done, offer);
		done++;
	}
	arena.over = true;
	for (int i = 0; i < THIEVES; i++)
		pthread_join(thieves[i], NULL);
	tap_ok(right == done,
	       "%s: each record of %u rounds is run exactly once, %u of them "
	       "by thieves",
	       what, done, arena.stolen);
	stn_deque_fini(&arena.deque);
}

static void
test_order(void)
{
	static struct stn_deque deque;
	struct stn_frame frame = { &deque, NULL, 0 };
	int runs[3] = { 0 };
	bool oldest = true;

	if (stn_deque_init(&deque, SLOTS))
		return;
	frame.head = deque.slots;
	tap_ok(!stn_deque_steal(&deque, STN_THIEF_NODE),
	       "nothing is stolen from an empty deque");
	for (int i = 0; i < 3; i++)
		push(&frame, &runs[i], i == 1);
	for (int i = 0; i < 3; i++)
		oldest = oldest && stn_deque_steal(&deque, STN_THIEF_NODE) ==
					   &deque.slots[i];
	tap_ok(oldest, "thieves take the oldest record first");
	tap_ok(!stn_deque_steal(&deque, STN_THIEF_NODE), "and no record twice");
	for (int i = 0; i < 3; i++)
		stn_deque_done(&deque.slots[i]);
	while (frame.head != deque.slots)
		sync_one(&frame);
	push(&frame, &runs[0], false);
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
	stress("claims", false, 0, 30000);
	stress("offers", false, 1, 30000);
	stress("both", false, 3, 30000);
	stress("offers where there is no membarrier", true, 0, 100000);
	return tap_end();
}
