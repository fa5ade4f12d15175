#include "steal/deque.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "steal/fence.h"

/*
 * The tail may lag by so many records, because moving it takes the lock. A
 * deque of one thread moves it at once.
 */
#define LAG 8

static void *
map_slab(size_t slots)
{
	void *slab = mmap(NULL, stn_deque_bytes(slots), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return slab == MAP_FAILED ? NULL : slab;
}

/*
 * The end slot says "full". A fenced deque, whose spawns all take the slow
 * path, writes that only when its last slot is used. Written earlier, it would
 * cost each node of a simulation one page of memory.
 */
enum stn_err
stn_deque_init(struct stn_deque *deque, void *room, size_t slots, bool fenced)
{
	deque->slots = room ? room : map_slab(slots);
	if (!deque->slots)
		return STN_NO_MEMORY;
	deque->mapped = !room;
	deque->end = deque->slots + slots;
	pthread_mutex_init(&deque->lock, NULL);
	deque->tail = deque->slots;
	deque->work = deque->poll = 0;
	deque->done = deque->known = 0;
	deque->top = NULL;
	deque->fenced = fenced || !stn_fence_prepare();
	deque->limit = deque->fenced ? deque->slots : deque->end;
	if (!deque->fenced)
		stn_deque_full(deque);
	return STN_OK;
}

void
stn_deque_fini(struct stn_deque *deque)
{
	if (deque->mapped)
		munmap(deque->slots,
		       stn_deque_bytes((size_t)(deque->end - deque->slots)));
	pthread_mutex_destroy(&deque->lock);
}

static struct stn_record *
tail(const struct stn_deque *deque)
{
	return __atomic_load_n(&deque->tail, __ATOMIC_RELAXED);
}

static bool
known_empty(const struct stn_deque *deque)
{
	return deque->top && tail(deque) == deque->top;
}

/* Relaxed, like the load in tail(): a hint, unless read under the lock. */
static void
set_tail(struct stn_deque *deque, struct stn_record *record)
{
	__atomic_store_n(&deque->tail, record, __ATOMIC_RELAXED);
}

static const struct stn_task *
deque_ready(const struct stn_record *record)
{
	/* Acquire: pairs with the release in stn_push; shows the arguments. */
	return __atomic_load_n(&record->ready, __ATOMIC_ACQUIRE);
}

static int32_t
thief_of(const struct stn_record *record)
{
	/* Acquire: pairs with the release in set_thief and in swap_thief. */
	return __atomic_load_n(&record->thief, __ATOMIC_ACQUIRE);
}

static void
set_thief(struct stn_record *record, int32_t thief)
{
	/* Release: pairs with the acquire in thief_of and in swap_thief. */
	__atomic_store_n(&record->thief, thief, __ATOMIC_RELEASE);
}

/*
 * Acquire and release: pairs with itself. The thread that gets an offered
 * record sees everything that the owner wrote before the offer.
 */
static bool
swap_thief(struct stn_record *record, int32_t from, int32_t to)
{
	return __atomic_compare_exchange_n(&record->thief, &from, to, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* Has another thread taken the record, and is the slot not free yet? */
static bool
taken(const struct stn_record *record)
{
	int32_t thief = thief_of(record);

	return thief == STN_THIEF_DONE || thief >= STN_THIEF_WORKER;
}

/*
 * The oldest record without a thief, or the free slot behind the newest record.
 */
static struct stn_record *
oldest(const struct stn_deque *deque)
{
	struct stn_record *record = tail(deque);

	while (taken(record)) /* stops at deque->end at the latest */
		record++;
	return record;
}

/*
 * The task is written before the offer, for the thief that takes the record.
 * Relaxed: a claim of the same record may store the same value at the same
 * time; the swap's release publishes it to thieves.
 */
static void
offer_record(struct stn_record *record, const struct stn_task *task)
{
	__atomic_store_n(&record->task, task, __ATOMIC_RELAXED);
	swap_thief(record, STN_THIEF_NONE, STN_THIEF_OFFERED);
}

void
stn_deque_alone(struct stn_deque *deque)
{
	deque->top = deque->slots;
}

/* The owner uses this slot: its newest record is there. */
static void
slot_used(struct stn_deque *deque, struct stn_record *record)
{
	if (deque->top)
		deque->top = record + 1;
	if (record + 1 == deque->end)
		stn_deque_full(deque);
}

/* The owner has got its newest record back. */
static void
slot_freed(struct stn_deque *deque, struct stn_record *record)
{
	if (deque->top)
		deque->top = record;
}

void
stn_deque_full(struct stn_deque *deque)
{
	set_thief(deque->end, STN_THIEF_FULL);
}

void
stn_deque_push(struct stn_deque *deque, struct stn_record *record,
	       const struct stn_task *task)
{
	slot_used(deque, record);
	/*
	 * Offered first: a thief that sees a record ready but not offered would
	 * claim it, which costs a membarrier.
	 */
	offer_record(record, task);
	stn_push(record, task);
	stn_deque_offer(deque, record);
}

void
stn_deque_offer(struct stn_deque *deque, struct stn_record *record)
{
	struct stn_record *first = oldest(deque);

	/*
	 * The caller is the owner, so no pop races and the record stays ready.
	 */
	if (first <= record && thief_of(first) == STN_THIEF_NONE)
		offer_record(first, deque_ready(first));
}

void
stn_deque_lend(struct stn_deque *deque, struct stn_record *record,
	       const struct stn_task *task, int32_t thief)
{
	slot_used(deque, record);
	pthread_mutex_lock(&deque->lock);
	__atomic_store_n(&record->ready, (const struct stn_task *)0,
			 __ATOMIC_RELAXED);
	__atomic_store_n(&record->task, task, __ATOMIC_RELAXED);
	set_thief(record, thief);
	pthread_mutex_unlock(&deque->lock);
}

/*
 * The thief's half of the claim. Needs the lock. The owner's half is stn_pop.
 */
static bool
deque_claim(struct stn_record *record, int32_t thief)
{
	const struct stn_task *task;

	do {
		if (!swap_thief(record, STN_THIEF_NONE, thief))
			return false; /* the owner has just offered it */
		if (!stn_fence_process())
			abort(); /* can't fail: stn_fence_prepare succeeded */
		task = deque_ready(record);
		if (task) {
			/*
			 * Relaxed: the lock orders this before the owner's read
			 * in its sync.
			 */
			__atomic_store_n(&record->task, task, __ATOMIC_RELAXED);
			return true;
		}
		set_thief(record, STN_THIEF_NONE);
		/*
		 * A record pushed during the claim looked stolen to other
		 * workers, which may have gone to sleep. The fence makes the
		 * loop's next load of the ready word see that record. Pairs
		 * with the membarrier in steal_may_sleep.
		 */
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	} while (deque_ready(record));
	return false;
}

static bool
may_claim(const struct stn_deque *deque, const struct stn_record *record)
{
	return !deque->fenced && deque_ready(record);
}

/*
 * Moves the tail to the oldest record without a thief, and claims that record.
 */
static struct stn_record *
claim_oldest(struct stn_deque *deque, int32_t thief)
{
	struct stn_record *record;
	bool claimed;

	if (pthread_mutex_trylock(&deque->lock))
		return NULL;
	record = oldest(deque);
	claimed = may_claim(deque, record) && deque_claim(record, thief);
	set_tail(deque, claimed ? record + 1 : record);
	pthread_mutex_unlock(&deque->lock);
	return claimed ? record : NULL;
}

/* Moves the tail past records that were stolen by an offer. */
static void
catch_up(struct stn_deque *deque)
{
	if (pthread_mutex_trylock(&deque->lock))
		return;
	set_tail(deque, oldest(deque));
	pthread_mutex_unlock(&deque->lock);
}

struct stn_record *
stn_deque_steal(struct stn_deque *deque, int32_t thief)
{
	struct stn_record *record;

	/*
	 * Checks before it takes the lock, so that an empty deque costs little.
	 */
	if (known_empty(deque))
		return NULL;
	record = oldest(deque);
	if (thief_of(record) != STN_THIEF_OFFERED)
		return deque_ready(record) ? claim_oldest(deque, thief) : NULL;
	if (!swap_thief(record, STN_THIEF_OFFERED, thief))
		return NULL;
	if (deque->top || record - tail(deque) >= LAG)
		catch_up(deque);
	return record;
}

/* Gets hold of the record for a look, by offer or claim. Needs the lock. */
static bool
deque_hold(const struct stn_deque *deque, struct stn_record *record)
{
	return swap_thief(record, STN_THIEF_OFFERED, STN_THIEF_UNDECIDED) ||
	       (may_claim(deque, record) &&
		deque_claim(record, STN_THIEF_UNDECIDED));
}

struct stn_record *
stn_deque_steal_if(struct stn_deque *deque, int32_t thief, stn_suits *suits,
		   void *arg)
{
	struct stn_record *record;
	bool suited = false;

	if (!stn_deque_maybe(deque) || pthread_mutex_trylock(&deque->lock))
		return NULL;
	record = oldest(deque);
	if (deque_hold(deque, record)) {
		suited = suits(arg, record);
		set_thief(record, suited ? thief : STN_THIEF_OFFERED);
	}
	set_tail(deque, suited ? record + 1 : record);
	pthread_mutex_unlock(&deque->lock);
	return suited ? record : NULL;
}

static bool
is_there(const struct stn_record *record)
{
	return deque_ready(record) || taken(record) ||
	       thief_of(record) == STN_THIEF_OFFERED;
}

/*
 * Claims records for a moment, all by one membarrier, and then offers those
 * that the owner has not popped meanwhile. An owner that pops one of them
 * waits for the lock.
 */
static void
offer_between(struct stn_record *first, struct stn_record *end)
{
	struct stn_record *record;

	for (record = first; record < end; record++)
		swap_thief(record, STN_THIEF_NONE, STN_THIEF_UNDECIDED);
	if (!stn_fence_process())
		abort(); /* can't fail: stn_fence_prepare succeeded */
	for (record = first; record < end; record++) {
		const struct stn_task *task = deque_ready(record);

		if (thief_of(record) != STN_THIEF_UNDECIDED)
			continue;
		if (task)
			__atomic_store_n(&record->task, task, __ATOMIC_RELAXED);
		set_thief(record, task ? STN_THIEF_OFFERED : STN_THIEF_NONE);
	}
}

struct stn_record *
stn_deque_mark(struct stn_deque *deque, size_t most)
{
	struct stn_record *first, *end;

	if (!stn_deque_maybe(deque) || pthread_mutex_trylock(&deque->lock))
		return deque->slots;
	first = end = oldest(deque);
	while (end < deque->end && is_there(end))
		end++;
	if ((size_t)(end - first) > most)
		first = end - most;
	if (!deque->fenced && first < end)
		offer_between(first, end);
	pthread_mutex_unlock(&deque->lock);
	return end;
}

void
stn_deque_offer_oldest(struct stn_deque *deque, size_t most)
{
	struct stn_record *first, *end;

	if (deque->fenced || stn_deque_offered(deque) ||
	    pthread_mutex_trylock(&deque->lock))
		return;
	first = end = oldest(deque);
	while (end < deque->end && (size_t)(end - first) < most &&
	       is_there(end))
		end++;
	if (first < end)
		offer_between(first, end);
	pthread_mutex_unlock(&deque->lock);
}

void
stn_deque_done(struct stn_record *record)
{
	/*
	 * Release: pairs with stn_deque_is_done, which then sees the outputs.
	 */
	set_thief(record, STN_THIEF_DONE);
}

bool
stn_deque_is_done(const struct stn_record *record)
{
	return thief_of(record) == STN_THIEF_DONE;
}

int32_t
stn_deque_retake(struct stn_deque *deque, struct stn_record *record)
{
	int32_t thief;

	if (swap_thief(record, STN_THIEF_OFFERED, STN_THIEF_NONE)) {
		slot_freed(deque, record);
		return STN_THIEF_NONE;
	}
	pthread_mutex_lock(&deque->lock);
	/*
	 * Again under the lock: a thief may have looked at the record and left
	 * it.
	 */
	if (swap_thief(record, STN_THIEF_OFFERED, STN_THIEF_NONE))
		thief = STN_THIEF_NONE;
	else
		thief = thief_of(record);
	pthread_mutex_unlock(&deque->lock);
	return thief;
}

void
stn_deque_free(struct stn_deque *deque, struct stn_record *record)
{
	/*
	 * Under the lock: otherwise a thief could move the tail past this slot.
	 */
	pthread_mutex_lock(&deque->lock);
	set_thief(record, STN_THIEF_NONE);
	if (tail(deque) > record)
		set_tail(deque, record);
	slot_freed(deque, record);
	pthread_mutex_unlock(&deque->lock);
}

bool
stn_deque_maybe(const struct stn_deque *deque)
{
	const struct stn_record *record;

	if (known_empty(deque))
		return false;
	record = oldest(deque);
	return deque_ready(record) || thief_of(record) == STN_THIEF_OFFERED;
}

bool
stn_deque_offered(const struct stn_deque *deque)
{
	return thief_of(oldest(deque)) == STN_THIEF_OFFERED;
}

size_t
stn_deque_length(const struct stn_deque *deque, size_t most)
{
	const struct stn_record *record;
	size_t length = 0;

	if (known_empty(deque))
		return 0;
	record = oldest(deque);
	for (; record < deque->end && length < most; record++) {
		if (taken(record))
			continue;
		if (!deque_ready(record) &&
		    thief_of(record) != STN_THIEF_OFFERED)
			break;
		length++;
	}
	return length;
}

void
stn_deque_lower(struct stn_deque *deque)
{
	/*
	 * Loads first: a store would take the cache line from the owner even if
	 * the limit is low already. Relaxed: pairs with the load in
	 * stn_spawn_plain; steal_may_sleep adds the membarrier where the order
	 * matters.
	 */
	if (__atomic_load_n(&deque->limit, __ATOMIC_RELAXED) != deque->slots)
		__atomic_store_n(&deque->limit, deque->slots, __ATOMIC_RELAXED);
}

void
stn_deque_raise(struct stn_deque *deque)
{
	if (!deque->fenced)
		__atomic_store_n(&deque->limit, deque->end, __ATOMIC_RELAXED);
}
