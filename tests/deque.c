/*
 * Each record that is pushed is run exactly once, by its owner or by a thief,
 * however pushes, offers, pops, steals and looks meet; also where the kernel
 * has no membarrier.
 */
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "steal/deque.h"
#include "tests/tap.h"

#define SLOTS 16
#define RECORDS (2 * SLOTS)
#define THIEVES 3
#define STEALS 5000 /* it goes on until thieves have got so many, */
#define LEFT 2000   /*   and have looked at so many that they left */

/* A call's argument: where to count that it was run. */
static int *
runs_of(const struct stn_record *record)
{
	int *runs;

	memcpy(&runs, record->arguments, sizeof(runs));
	return runs;
}

static void
run_count(struct stn_deque *deque, const struct stn_record *record,
	  struct stn_record *head, void *result)
{
	(void)deque;
	(void)head;
	(void)result;
	(*runs_of(record))++;
}

static const struct stn_task count = { .name = "count", .run = run_count };

struct arena {
	struct stn_deque deque;
	_Atomic(bool) over;
	_Atomic(unsigned) stolen, left;
	unsigned looks, moved; /* under the deque's lock */
};

/* Is it a record that nobody has run, now and a moment later? */
static bool
stands_still(const struct stn_record *record)
{
	int *runs = runs_of(record);

	if (stn_deque_task(record) != &count || *runs)
		return false;
	sched_yield();
	return stn_deque_task(record) == &count && runs_of(record) == runs &&
	       !*runs;
}

static bool
suits_half(void *arg, const struct stn_record *record)
{
	struct arena *arena = arg;
	bool suits = arena->looks++ % 2;

	arena->moved += !stands_still(record);
	arena->left += !suits;
	return suits;
}

static void
run_stolen(struct arena *arena, struct stn_record *record)
{
	if (!record) {
		sched_yield();
		return;
	}
	stn_deque_task(record)->run(NULL, record, NULL, NULL);
	arena->stolen++;
	stn_deque_done(record);
}

static void *
thief_main(void *arg)
{
	struct arena *arena = arg;
	struct stn_deque *deque = &arena->deque;

	while (!arena->over)
		run_stolen(arena, stn_deque_steal(deque, STN_THIEF_WORKER));
	return NULL;
}

static void *
choosy_main(void *arg)
{
	struct arena *arena = arg;
	struct stn_deque *deque = &arena->deque;

	while (!arena->over)
		run_stolen(arena, stn_deque_steal_if(deque, STN_THIEF_WORKER,
						     suits_half, arena));
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

static unsigned nameless; /* thieves, as retakes tell */

/* As STN_SYNC, with a wait in place of the worker's search for work. */
static void
sync_one(struct stn_frame *frame)
{
	struct stn_deque *deque = frame->deque;
	struct stn_record *record = --frame->head;
	int32_t thief = STN_THIEF_NONE;

	if (!stn_pop(record))
		thief = stn_deque_retake(deque, record);
	if (thief == STN_THIEF_NONE) {
		run_count(deque, record, record, NULL);
		return;
	}
	nameless += thief != STN_THIEF_DONE && thief < STN_THIEF_WORKER;
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

/* The first @choosy thieves look before they steal. */
static void
stress(const char *what, bool fenced, unsigned offer, int choosy,
       unsigned rounds)
{
	static struct arena arena;
	pthread_t thieves[THIEVES];
	unsigned done = 0, right = 0, left = choosy ? LEFT : 0;

	arena.over = false;
	arena.stolen = arena.left = 0;
	arena.moved = 0;
	if (stn_deque_init(&arena.deque, SLOTS)) {
		tap_ok(false, "a deque of %d slots is made", SLOTS);
		return;
	}
	arena.deque.fenced |= fenced;
	for (int i = 0; i < THIEVES; i++)
		pthread_create(&thieves[i], NULL,
			       i < choosy ? choosy_main : thief_main, &arena);
	while (done < rounds || arena.stolen < STEALS || arena.left < left) {
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
	if (choosy)
		tap_ok(!arena.moved,
		       "%s: each stands still while a thief looks at it; %u "
		       "are left where they are",
		       what, arena.left);
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

/* What a look sees, and what others see meanwhile. */
struct look {
	struct stn_deque *deque;
	bool suits;
	const struct stn_record *seen;
	bool alone, counted;
};

static bool
look_on(void *arg, const struct stn_record *record)
{
	struct look *look = arg;

	look->seen = record;
	look->alone =
		!stn_deque_steal(look->deque, STN_THIEF_NODE) &&
		!stn_deque_steal_if(look->deque, STN_THIEF_NODE, look_on, look);
	look->counted = stn_deque_maybe(look->deque) &&
			stn_deque_length(look->deque, SLOTS) == 2;
	return look->suits && stands_still(record);
}

static struct stn_record *
steal_if(struct look *look, bool suits)
{
	look->suits = suits;
	look->seen = NULL;
	return stn_deque_steal_if(look->deque, STN_THIEF_NODE, look_on, look);
}

static void
test_look(const char *what, bool offered)
{
	static struct stn_deque deque;
	struct stn_frame frame = { &deque, NULL, 0 };
	struct look look = { .deque = &deque };
	int runs[2] = { 0 };

	if (stn_deque_init(&deque, SLOTS))
		return;
	frame.head = deque.slots;
	tap_ok(!steal_if(&look, true) && !look.seen,
	       "%s: an empty deque has nothing to look at", what);
	push(&frame, &runs[0], offered);
	push(&frame, &runs[1], offered);
	tap_ok(!steal_if(&look, false) && look.seen == deque.slots,
	       "%s: a thief that says no has seen the oldest, gets nothing",
	       what);
	tap_ok(look.alone, "%s: nor does anybody else meanwhile", what);
	tap_ok(look.counted && stn_deque_length(&deque, SLOTS) == 2,
	       "%s: but nobody takes it for stolen", what);
	tap_ok(steal_if(&look, true) == deque.slots &&
		       deque.slots->thief == STN_THIEF_NODE,
	       "%s: one that says yes gets it", what);
	stn_deque_done(deque.slots);
	tap_ok(!steal_if(&look, false) && look.seen == deque.slots + 1,
	       "%s: then it's the next one's turn", what);
	sync_one(&frame);
	tap_ok(runs[1] == 1 && !stn_deque_maybe(&deque),
	       "%s: which is its owner's in the end", what);
	sync_one(&frame);
	push(&frame, &runs[0], false);
	tap_ok(stn_deque_steal(&deque, STN_THIEF_NODE) == deque.slots,
	       "%s: the tail has come back", what);
	stn_deque_done(deque.slots);
	sync_one(&frame);
	stn_deque_fini(&deque);
}

int
main(void)
{
	tap_begin();
	test_order();
	test_look("claims", false);
	test_look("offers", true);
	stress("claims", false, 0, 0, 30000);
	stress("offers", false, 1, 0, 30000);
	stress("both", false, 3, 0, 30000);
	stress("offers where there is no membarrier", true, 0, 0, 100000);
	stress("looks, claims", false, 0, 2, 10000);
	stress("looks, offers", false, 1, 2, 10000);
	stress("looks, both", false, 3, 2, 10000);
	stress("looks where there is no membarrier", true, 0, 2, 10000);
	stress("nothing but looks", false, 0, THIEVES, 10000);
	tap_ok(!nameless, "an owner that loses a record learns to whom");
	return tap_end();
}
