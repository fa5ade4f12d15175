#include "steal/deque.h"

#include <linux/membarrier.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

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

enum stn_err
stn_deque_init(struct stn_deque *deque, size_t slots)
{
	size_t bytes = slots * sizeof(struct stn_record);
	void *slab;

	slab = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (slab == MAP_FAILED)
		return STN_NO_MEMORY;
	deque->slots = slab;
	deque->end = deque->slots + slots;
	deque->fenced = !stn_fence_prepare();
	pthread_mutex_init(&deque->lock, NULL);
	atomic_init(&deque->tail, deque->slots);
	atomic_init(&deque->limit, deque->end);
	return STN_OK;
}

void
stn_deque_fini(struct stn_deque *deque)
{
	munmap(deque->slots,
	       (size_t)(deque->end - deque->slots) * sizeof(deque->slots[0]));
	pthread_mutex_destroy(&deque->lock);
}

static bool
ready(struct stn_deque *deque, struct stn_record *record)
{
	/* Acquire: pairs with stn_push; the arguments are there. */
	return record < deque->end &&
	       atomic_load_explicit(&record->state, memory_order_acquire) ==
		       STN_READY;
}

/* The thief's half of the claim, under the lock. */
static bool
claim(struct stn_deque *deque, struct stn_record *record, uint32_t thief)
{
	atomic_store_explicit(&record->thief, thief, memory_order_relaxed);
	if (deque->fenced)
		atomic_thread_fence(memory_order_seq_cst);
	else if (!stn_fence_process())
		abort(); /* it was registered: the kernel broke its word */
	if (ready(deque, record))
		return true;
	atomic_store_explicit(&record->thief, STN_THIEF_NONE,
			      memory_order_relaxed);
	return false;
}

struct stn_record *
stn_deque_steal(struct stn_deque *deque, uint32_t thief)
{
	struct stn_record *record;
	bool claimed = false;

	/* A first look, so that an empty deque costs nobody anything. */
	if (!stn_deque_maybe(deque))
		return NULL;
	if (pthread_mutex_trylock(&deque->lock))
		return NULL;
	record = atomic_load_explicit(&deque->tail, memory_order_relaxed);
	if (ready(deque, record))
		claimed = claim(deque, record, thief);
	if (claimed)
		atomic_store_explicit(&deque->tail, record + 1,
				      memory_order_relaxed);
	pthread_mutex_unlock(&deque->lock);
	return claimed ? record : NULL;
}

void
stn_deque_done(struct stn_record *record)
{
	/* Release: pairs with stn_deque_is_done; the outputs are there. */
	atomic_store_explicit(&record->thief, STN_THIEF_DONE,
			      memory_order_release);
}

bool
stn_deque_is_done(struct stn_record *record)
{
	return atomic_load_explicit(&record->thief, memory_order_acquire) ==
	       STN_THIEF_DONE;
}

uint32_t
stn_deque_reclaim(struct stn_deque *deque, struct stn_record *record)
{
	uint32_t thief;

	pthread_mutex_lock(&deque->lock);
	thief = atomic_load_explicit(&record->thief, memory_order_relaxed);
	pthread_mutex_unlock(&deque->lock);
	return thief;
}

void
stn_deque_free(struct stn_deque *deque, struct stn_record *record)
{
	pthread_mutex_lock(&deque->lock);
	atomic_store_explicit(&record->thief, STN_THIEF_NONE,
			      memory_order_relaxed);
	atomic_store_explicit(&deque->tail, record, memory_order_relaxed);
	pthread_mutex_unlock(&deque->lock);
}

bool
stn_deque_maybe(struct stn_deque *deque)
{
	return ready(deque,
		     atomic_load_explicit(&deque->tail, memory_order_relaxed));
}

void
stn_deque_lower(struct stn_deque *deque)
{
	atomic_store_explicit(&deque->limit, deque->slots,
			      memory_order_relaxed);
}

void
stn_deque_raise(struct stn_deque *deque)
{
	atomic_store_explicit(&deque->limit, deque->end, memory_order_relaxed);
}
