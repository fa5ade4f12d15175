#include "steal/deque.h"

#include <linux/membarrier.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LAG 8 /* records that the tail may lie behind */

static bool
membarrier(int command)
{
	return !syscall(__NR_membarrier, command, 0, 0);
}

bool
stn_fence_prepare(void)
{
	return membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
}

bool
stn_fence_process(void)
{
	return membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

/* One slot more than asked for stands for "full" at the end. */
static size_t
slab_bytes(size_t slots)
{
	return (slots + 1) * sizeof(struct stn_record);
}

enum stn_err
stn_deque_init(struct stn_deque *deque, size_t slots)
{
	void *slab;

	slab = mmap(NULL, slab_bytes(slots), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (slab == MAP_FAILED)
		return STN_NO_MEMORY;
	deque->slots = slab;
	deque->end = deque->slots + slots;
	deque->end->thief = STN_THIEF_FULL;
	pthread_mutex_init(&deque->lock, NULL);
	deque->tail = deque->slots;
	deque->limit = deque->end;
	deque->work = 0;
	deque->fenced = false;
	if (!stn_fence_prepare())
		stn_deque_offer_all(deque);
	return STN_OK;
}

void
stn_deque_offer_all(struct stn_deque *deque)
{
	deque->fenced = true;
	deque->limit = deque->slots;
}

void
stn_deque_fini(struct stn_deque *deque)
{
	munmap(deque->slots, slab_bytes((size_t)(deque->end - deque->slots)));
	pthread_mutex_destroy(&deque->lock);
}

static struct stn_record *
tail(const struct stn_deque *deque)
{
	return __atomic_load_n(&deque->tail, __ATOMIC_RELAXED);
}

/* Relaxed: a hint, unless read under the lock. */
static void
set_tail(struct stn_deque *deque, struct stn_record *record)
{
	__atomic_store_n(&deque->tail, record, __ATOMIC_RELAXED);
}

static const struct stn_task *
ready(const struct stn_record *record)
{
	/* Acquire: pairs with stn_push; the arguments are there. */
	return __atomic_load_n(&record->ready, __ATOMIC_ACQUIRE);
}

static int32_t
thief_of(const struct stn_record *record)
{
	/* Acquire: pairs with stn_deque_done, and with offers. */
	return __atomic_load_n(&record->thief, __ATOMIC_ACQUIRE);
}

static void
set_thief(struct stn_record *record, int32_t thief)
{
	__atomic_store_n(&record->thief, thief, __ATOMIC_RELEASE);
}

/*
 * Acquire and release: who gets an offered record sees what was written before
 * the offer; an offer shows it.
 */
static bool
swap_thief(struct stn_record *record, int32_t from, int32_t to)
{
	return __atomic_compare_exchange_n(&record->thief, &from, to, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* Has somebody else the record, or had it, and the slot isn't free yet? */
static bool
taken(const struct stn_record *record)
{
	int32_t thief = thief_of(record);

	return thief == STN_THIEF_DONE || thief >= STN_THIEF_WORKER;
}

/* The oldest record that has no thief, or the free slot behind the last. */
static struct stn_record *
oldest(const struct stn_deque *deque)
{
	struct stn_record *record = tail(deque);

	while (taken(record)) /* ends at deque->end at the latest */
		record++;
	return record;
}

/*
 * What to call is written first, for who takes the record from now on. Relaxed:
 * a claim of the same record may write the same at the same time.
 */
static void
offer(struct stn_record *record, const struct stn_task *task)
{
	__atomic_store_n(&record->task, task, __ATOMIC_RELAXED);
	swap_thief(record, STN_THIEF_NONE, STN_THIEF_OFFERED);
}

void
stn_deque_push(struct stn_deque *deque, struct stn_record *record,
	       const struct stn_task *task)
{
	/* Offered first: who sees it ready shall not go and claim it. */
	offer(record, task);
	stn_push(record, task);
	stn_deque_offer(deque, record);
}

void
stn_deque_offer(struct stn_deque *deque, struct stn_record *record)
{
	struct stn_record *first = oldest(deque);

	if (first <= record && thief_of(first) == STN_THIEF_NONE)
		offer(first, ready(first)); /* ours, and so it stays ready */
}

/* The thief's half of the claim, under the lock. */
static bool
claim(struct stn_record *record, int32_t thief)
{
	const struct stn_task *task;

	do {
		if (!swap_thief(record, STN_THIEF_NONE, thief))
			return false; /* offered this very moment */
		if (!stn_fence_process())
			abort(); /* registered: the kernel broke its word */
		task = ready(record);
		if (task) {
			__atomic_store_n(&record->task, task, __ATOMIC_RELAXED);
			return true;
		}
		set_thief(record, STN_THIEF_NONE);
		/*
		 * A record that was pushed meanwhile looked stolen to others,
		 * which may have gone to sleep.
		 */
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	} while (ready(record));
	return false;
}

static bool
may_claim(const struct stn_deque *deque, const struct stn_record *record)
{
	return !deque->fenced && ready(record);
}

/* Moves the tail to the oldest record without a thief, and claims that. */
static struct stn_record *
claim_oldest(struct stn_deque *deque, int32_t thief)
{
	struct stn_record *record;
	bool claimed;

	if (pthread_mutex_trylock(&deque->lock))
		return NULL;
	record = oldest(deque);
	claimed = may_claim(deque, record) && claim(record, thief);
	set_tail(deque, claimed ? record + 1 : record);
	pthread_mutex_unlock(&deque->lock);
	return claimed ? record : NULL;
}

/* After steals of offered records, which don't move the tail. */
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
	struct stn_record *record = oldest(deque);

	/* A first look, so that an empty deque costs nobody anything. */
	if (thief_of(record) != STN_THIEF_OFFERED)
		return ready(record) ? claim_oldest(deque, thief) : NULL;
	if (!swap_thief(record, STN_THIEF_OFFERED, thief))
		return NULL;
	if (record - tail(deque) >= LAG)
		catch_up(deque);
	return record;
}

/* Under the lock: gets hold of the record, in either way, for a look. */
static bool
hold(const struct stn_deque *deque, struct stn_record *record)
{
	return swap_thief(record, STN_THIEF_OFFERED, STN_THIEF_UNDECIDED) ||
	       (may_claim(deque, record) && claim(record, STN_THIEF_UNDECIDED));
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
	if (hold(deque, record)) {
		suited = suits(arg, record);
		set_thief(record, suited ? thief : STN_THIEF_OFFERED);
	}
	set_tail(deque, suited ? record + 1 : record);
	pthread_mutex_unlock(&deque->lock);
	return suited ? record : NULL;
}

void
stn_deque_done(struct stn_record *record)
{
	/* Release: pairs with stn_deque_is_done; the outputs are there. */
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

	if (swap_thief(record, STN_THIEF_OFFERED, STN_THIEF_NONE))
		return STN_THIEF_NONE;
	pthread_mutex_lock(&deque->lock);
	/* Once more: a thief may have looked at it, and left it. */
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
	/* The lock, as a thief may be moving the tail past this slot. */
	pthread_mutex_lock(&deque->lock);
	set_thief(record, STN_THIEF_NONE);
	if (tail(deque) > record)
		set_tail(deque, record);
	pthread_mutex_unlock(&deque->lock);
}

bool
stn_deque_maybe(const struct stn_deque *deque)
{
	const struct stn_record *record = oldest(deque);

	return ready(record) || thief_of(record) == STN_THIEF_OFFERED;
}

bool
stn_deque_offered(const struct stn_deque *deque)
{
	return thief_of(oldest(deque)) == STN_THIEF_OFFERED;
}

size_t
stn_deque_length(const struct stn_deque *deque, size_t most)
{
	const struct stn_record *record = oldest(deque);
	size_t length = 0;

	for (; record < deque->end && length < most; record++) {
		if (taken(record))
			continue;
		if (!ready(record) && thief_of(record) != STN_THIEF_OFFERED)
			break;
		length++;
	}
	return length;
}

void
stn_deque_lower(struct stn_deque *deque)
{
	/* Looked at first, so that the owner keeps the line if it is low. */
	if (__atomic_load_n(&deque->limit, __ATOMIC_RELAXED) != deque->slots)
		__atomic_store_n(&deque->limit, deque->slots, __ATOMIC_RELAXED);
}

void
stn_deque_raise(struct stn_deque *deque)
{
	if (!deque->fenced)
		__atomic_store_n(&deque->limit, deque->end, __ATOMIC_RELAXED);
}
