#include "steal/neighbour.h"

#include "steal/steal.h"

#define COAXINGS 40 /* looks for an offered record */

/*
 * Makes the owner of a deque on this node offer a record, and waits for it a
 * little. The offered record is then taken by a swap instead of a membarrier, a
 * system call that interrupts computing threads. An owner that spawns rarely
 * answers late or never.
 */
static void
coax(struct stn_deque *deque)
{
	stn_deque_lower(deque);
	for (int i = 0; i < COAXINGS; i++) {
		if (stn_deque_offered(deque) || !stn_deque_maybe(deque))
			return;
		stn_pause();
	}
}

static void
set_whole(struct stn_owner *owner, const struct stn_record *whole)
{
	/* Release: pairs with the acquire in is_part, which reads the head. */
	atomic_store_explicit(&owner->whole, whole, memory_order_release);
}

const struct stn_record *
stn_whole_begin(struct stn_owner *owner, struct stn_record *whole,
		const struct stn_record *head)
{
	const struct stn_record *before =
		atomic_load_explicit(&owner->whole, memory_order_relaxed);

	if (whole)
		whole->slot = (uint32_t)(head - owner->deque.slots);
	set_whole(owner, whole);
	return before;
}

void
stn_whole_end(struct stn_owner *owner, const struct stn_record *before)
{
	set_whole(owner, before);
}

/* The record for which a worker waits, and the deque of its thief. */
struct waiting {
	const struct stn_record *whole;
	const struct stn_deque *deque;
	const struct stn_owner *thief;
};

/*
 * The caller waits for the whole, so nobody reuses its record, in which the
 * thief has noted the head. A thread that sees a record in the thief's deque
 * also sees the whole that the thief had when it spawned that record, or a later
 * one. So no record of the thief's later work counts as a part.
 */
static bool
is_part(void *arg, const struct stn_record *record)
{
	const struct waiting *waiting = arg;

	return atomic_load_explicit(&waiting->thief->whole,
				    memory_order_acquire) == waiting->whole &&
	       record >= waiting->deque->slots + waiting->whole->slot;
}

/*
 * Looks before it holds a record, for which the record's owner might wait.
 * Relaxed: is_part looks again.
 */
static struct stn_record *
leapfrog(struct stn_deque *deque, int32_t thief, const struct stn_record *whole)
{
	struct waiting waiting = { whole, deque, stn_owner_of(deque) };

	if (atomic_load_explicit(&waiting.thief->whole, memory_order_relaxed) !=
	    whole)
		return NULL;
	coax(deque);
	return stn_deque_steal_if(deque, thief, is_part, &waiting);
}

struct stn_record *
stn_neighbour_steal(struct stn_owner *owner, struct stn_deque *deque,
		    const struct stn_record *whole)
{
	int32_t thief = (int32_t)(STN_THIEF_WORKER + owner->worker->number);

	if (!stn_deque_maybe(deque)) {
		stn_deque_lower(deque);
		return NULL;
	}
	if (whole)
		return leapfrog(deque, thief, whole);
	coax(deque);
	return stn_deque_steal(deque, thief);
}
