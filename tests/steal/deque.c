/*
 * deque.c: the owner or a thief runs each pushed record exactly once, whatever
 * the order of pushes, offers, pops, steals and looks, also if the kernel has
 * no membarrier. A look is a stn_deque_steal_if.
 */
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "steal/deque.h"
#include "tests/tap.h"

#define SLOTS 16
#define RECORDS (2 * SLOTS)
#define THIEVES 3
#define STEALS 5000   /* a stress ends after so many steals, */
#define REFUSALS 2000 /* and after so many looks that refused the record */

/* A record's argument points to the counter of its runs. */
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
	_Atomic(unsigned) stolen, refused;
	unsigned looks, changed; /* under the deque's lock */
	size_t many; /* a looker first offers so many records */
};

/* Is it a record that has not been run, now and a moment later? */
static bool
is_unchanged(const struct stn_record *record)
{
	int *runs = runs_of(record);

	if (stn_deque_task(record) != &count || *runs)
		return false;
	sched_yield();
	return stn_deque_task(record) == &count && runs_of(record) == runs &&
	       !*runs;
}

static bool
accept_half(void *arg, const struct stn_record *record)
{
	struct arena *arena = arg;
	bool accepts = arena->looks++ % 2;

	arena->changed += !is_unchanged(record);
	arena->refused += !accepts;
	return accepts;
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
looker_main(void *arg)
{
	struct arena *arena = arg;
	struct stn_deque *deque = &arena->deque;

	while (!arena->over) {
		if (arena->many)
			stn_deque_offer_oldest(deque, arena->many);
		run_stolen(arena, stn_deque_steal_if(deque, STN_THIEF_WORKER,
						     accept_half, arena));
	}
	return NULL;
}

/*
 * Pushes as a spawn does: offers the record if asked to, or if there is no
 * membarrier and thieves can't claim.
 */
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

/* number of lost records whose thief the owner wasn't told */
static unsigned unnamed_thieves;

/* As STN_SYNC, but waits where a worker would look for other work. */
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
	unnamed_thieves += thief != STN_THIEF_DONE && thief < STN_THIEF_WORKER;
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
 * Pushes one to SLOTS records, syncs half of them, pushes as many again, and
 * syncs all. Offers every @offer-th.
 */
static bool
run_round(struct arena *arena, unsigned round, unsigned offer)
{
	struct stn_record *slots = arena->deque.slots;
	struct stn_frame frame = { &arena->deque, slots, 0 };
	int runs[RECORDS] = { 0 };
	unsigned pushed = 0, records = 1 + round % SLOTS;

	while (pushed < records)
		push_next(&frame, runs, &pushed, offer);
	if (round % 4 == 0)
		/* otherwise few thieves get a turn on few processors */
		sched_yield();
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

/*
 * @lookers of the THIEVES look at a record before they steal it. Before that
 * they offer the oldest @many.
 */
static void
stress_many(const char *what, bool fenced, unsigned offer, int lookers,
	    size_t many, unsigned rounds)
{
	static struct arena arena;
	pthread_t thieves[THIEVES];
	unsigned done = 0, right = 0, refused = lookers ? REFUSALS : 0;

	arena.over = false;
	arena.many = many;
	arena.stolen = arena.refused = 0;
	arena.changed = 0;
	if (stn_deque_init(&arena.deque, NULL, SLOTS, false)) {
		tap_ok(false, "a deque of %d slots is made", SLOTS);
		return;
	}
	arena.deque.fenced |= fenced;
	for (int i = 0; i < THIEVES; i++)
		pthread_create(&thieves[i], NULL,
			       i < lookers ? looker_main : thief_main, &arena);
	while (done < rounds || arena.stolen < STEALS ||
	       arena.refused < refused) {
		right += run_round(&arena, done, offer);
		done++;
	}
	arena.over = true;
	for (int i = 0; i < THIEVES; i++)
		pthread_join(thieves[i], NULL);
	tap_ok(right == done,
	       "%s: each record of %u rounds is run exactly once, %u of them "
	       "by thieves",
	       what, done, arena.stolen);
	if (lookers)
		tap_ok(!arena.changed,
		       "%s: no record changes while a thief looks at it; "
		       "thieves refused %u",
		       what, arena.refused);
	stn_deque_fini(&arena.deque);
}

static void
stress(const char *what, bool fenced, unsigned offer, int lookers,
       unsigned rounds)
{
	stress_many(what, fenced, offer, lookers, 0, rounds);
}

static void
test_order(void)
{
	static struct stn_deque deque;
	struct stn_frame frame = { &deque, NULL, 0 };
	int runs[3] = { 0 };
	bool oldest = true;

	if (stn_deque_init(&deque, NULL, SLOTS, false))
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
	tap_ok(!stn_deque_steal(&deque, STN_THIEF_NODE),
	       "no record is stolen twice");
	for (int i = 0; i < 3; i++)
		stn_deque_done(&deque.slots[i]);
	while (frame.head != deque.slots)
		sync_one(&frame);
	push(&frame, &runs[0], false);
	tap_ok(stn_deque_steal(&deque, STN_THIEF_NODE) == deque.slots,
	       "a slot is stolen from again after its record came back");
	stn_deque_done(deque.slots);
	sync_one(&frame);
	stn_deque_fini(&deque);
}

/* A look: its decision, what it saw, and what other thieves saw meanwhile. */
struct look {
	struct stn_deque *deque;
	bool accepts;
	const struct stn_record *seen;
	bool alone, counted;
};

static bool
look_at(void *arg, const struct stn_record *record)
{
	struct look *look = arg;

	look->seen = record;
	look->alone =
		!stn_deque_steal(look->deque, STN_THIEF_NODE) &&
		!stn_deque_steal_if(look->deque, STN_THIEF_NODE, look_at, look);
	look->counted = stn_deque_maybe(look->deque) &&
			stn_deque_length(look->deque, SLOTS) == 2;
	return look->accepts && is_unchanged(record);
}

static struct stn_record *
steal_if(struct look *look, bool accepts)
{
	look->accepts = accepts;
	look->seen = NULL;
	return stn_deque_steal_if(look->deque, STN_THIEF_NODE, look_at, look);
}

static void
test_look(const char *what, bool offered, bool alone)
{
	static struct stn_deque deque;
	struct stn_frame frame = { &deque, NULL, 0 };
	struct look look = { .deque = &deque };
	int runs[2] = { 0 };

	if (stn_deque_init(&deque, NULL, SLOTS, alone))
		return;
	if (alone)
		stn_deque_alone(&deque);
	frame.head = deque.slots;
	tap_ok(!steal_if(&look, true) && !look.seen,
	       "%s: in an empty deque a thief finds nothing to look at", what);
	push(&frame, &runs[0], offered);
	push(&frame, &runs[1], offered);
	tap_ok(!steal_if(&look, false) && look.seen == deque.slots,
	       "%s: a thief that refuses has seen the oldest record, and gets "
	       "nothing",
	       what);
	tap_ok(look.alone, "%s: while it looks, no other thief gets anything",
	       what);
	tap_ok(look.counted && stn_deque_length(&deque, SLOTS) == 2,
	       "%s: meanwhile the record doesn't count as stolen", what);
	tap_ok(steal_if(&look, true) == deque.slots &&
		       deque.slots->thief == STN_THIEF_NODE,
	       "%s: a thief that accepts gets the record", what);
	stn_deque_done(deque.slots);
	tap_ok(!steal_if(&look, false) && look.seen == deque.slots + 1,
	       "%s: the next look sees the next record", what);
	sync_one(&frame);
	tap_ok(runs[1] == 1 && !stn_deque_maybe(&deque),
	       "%s: a refused record is its owner's in the end", what);
	sync_one(&frame);
	push(&frame, &runs[0], offered);
	tap_ok(stn_deque_steal(&deque, STN_THIEF_NODE) == deque.slots,
	       "%s: after the syncs thieves find the first slot again", what);
	stn_deque_done(deque.slots);
	sync_one(&frame);
	stn_deque_fini(&deque);
}

/* Five records, of which the first has been stolen. */
static void
test_offer_oldest(void)
{
	static struct stn_deque deque;
	struct stn_frame frame = { &deque, NULL, 0 };
	int runs[5] = { 0 };
	bool offered[6];

	if (stn_deque_init(&deque, NULL, SLOTS, false) || deque.fenced)
		return;
	frame.head = deque.slots;
	for (int i = 0; i < 5; i++)
		push(&frame, &runs[i], false);
	stn_deque_steal(&deque, STN_THIEF_NODE);
	stn_deque_offer_oldest(&deque, 2);
	for (int i = 0; i < 6; i++)
		offered[i] = deque.slots[i].thief == STN_THIEF_OFFERED;
	tap_ok(!offered[0] && offered[1] && offered[2] && !offered[3],
	       "the oldest two records are offered at once");
	stn_deque_offer_oldest(&deque, SLOTS);
	tap_ok(deque.slots[3].thief == STN_THIEF_NONE,
	       "no others are offered while the oldest one is");
	stn_deque_steal(&deque, STN_THIEF_NODE);
	stn_deque_steal(&deque, STN_THIEF_NODE);
	stn_deque_offer_oldest(&deque, SLOTS);
	tap_ok(deque.slots[4].thief == STN_THIEF_OFFERED &&
		       deque.slots[5].thief == STN_THIEF_NONE,
	       "no free slot is offered");
	for (int i = 0; i < 3; i++)
		stn_deque_done(&deque.slots[i]);
	while (frame.head != deque.slots)
		sync_one(&frame);
	tap_ok(runs[3] == 1 && runs[4] == 1,
	       "the owner runs offered records that nobody took");
	stn_deque_fini(&deque);
}

int
main(void)
{
	tap_begin();
	test_order();
	test_offer_oldest();
	test_look("claims", false, false);
	test_look("offers", true, false);
	test_look("alone", true, true);
	stress("claims", false, 0, 0, 30000);
	stress("offers", false, 1, 0, 30000);
	stress("both", false, 3, 0, 30000);
	stress("offers without membarrier", true, 0, 0, 100000);
	stress("looks, claims", false, 0, 2, 10000);
	stress("looks, offers", false, 1, 2, 10000);
	stress("looks, both", false, 3, 2, 10000);
	stress("looks without membarrier", true, 0, 2, 10000);
	stress("only looks", false, 0, THIEVES, 10000);
	stress_many("several at once", false, 0, 2, 3, 10000);
	tap_ok(!unnamed_thieves,
	       "an owner that loses a record is told its thief");
	return tap_end();
}
