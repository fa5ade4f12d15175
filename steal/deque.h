/*
 * deque.h: a worker's deque of records. The owner pushes and pops at the head;
 * thieves take the oldest record, at the tail.
 *
 * The slots lie in a slab. Slots below the tail hold stolen records. Slots from
 * the tail to the head hold records that are ready or stolen. Slots above the
 * head are free. A thief takes the first ready record from the tail on. The
 * owner's push and pop are in sateen_record.h and touch only their own slot.
 * Which calls may race:
 *
 *	owner		push, offer, lend, pop, retake,	one at a time
 *			is_done, free, raise, full
 *	any thread	steal, steal_if, mark,		at any time
 *			offer_oldest, maybe, offered,
 *			length, lower
 *	the thief	done				once for each record
 *	one thread	init, fini, alone		without any other call
 *
 * The owner may also call what any thread may call. A thief gets a record in
 * one of two ways: by a claim or by an offer.
 *
 * The claim works at any time, also while the owner is inside a long call.
 * Owner and thief compete for one record by Dijkstra's mutual exclusion ("THE"
 * in Frigo, Leiserson, Randall: "The implementation of the Cilk-5 multithreaded
 * language", PLDI 1998, section 5). Cilk-5 compares indices; here both compare
 * the words of one slot, and only the thief has a fence:
 *
 *	owner: ready = NULL          thief, holding the lock: thief = me
 *	       (nothing)	            membarrier
 *	       thief == NONE ? mine         ready != NULL ? mine : thief = NONE
 *
 * The membarrier makes every running thread of the process pass a full fence
 * between the thief's two steps. If the owner's fence comes before the owner's
 * first step, the owner's second step sees the thief's claim. If the owner's
 * fence comes after the first step, the thief sees NULL. So at least one of the
 * two sees the other. An owner that sees a claim takes the lock. When the owner
 * has the lock, the thief has either kept the record or given it up.
 *
 * Between the thief's two steps the owner may pop the record, run it, and push
 * another record into the same slot. The thief checks that the slot holds a
 * record, not which one, so the thief takes the new record. That is correct:
 * the owner had not popped the new record when the thief looked, so the owner's
 * pop comes after the owner's fence and sees the claim.
 *
 * The offer spares thieves the membarrier, a system call that interrupts every
 * computing thread of the process. A thief that waits on the same node lowers
 * the limit. The owner's next spawn sees the low limit and swaps the thief
 * words of the newest and the oldest record from NONE to OFFERED. The first
 * swap of an offered record gets it: a thief swaps OFFERED for its own number,
 * the owner's pop swaps OFFERED for NONE. When an offer and a claim meet, both
 * swap from NONE, and one of the two swaps fails. The owner's pop may clear the
 * ready word before it loses the swap; therefore thieves read the task from the
 * task word, which is set before the offer. A thief that takes an offered
 * record needs no lock and does not move the tail; thieves move the tail later,
 * under the lock.
 *
 * A thief that looks at a record before it takes it (steal_if) claims the
 * record or swaps the offer under the lock, with UNDECIDED instead of its own
 * number. The record stands still meanwhile, because an owner that pops it
 * waits for the lock. Before the thief releases the lock, it sets the word to
 * its own number or to OFFERED, even if the word was NONE before. Then the next
 * look costs no membarrier, and the owner gets the record by a swap. The swap
 * orders the thief's look before the owner's next write into the slot; a plain
 * pop would not. An owner that has lost its swap tries again under the lock,
 * where only thieves that take without a look can win. For other threads an
 * undecided record is still the oldest: the tail stays there, so a worker that
 * checks for records before it sleeps does not miss it.
 *
 * Where the kernel has no membarrier, or where the program's spawns are
 * counted, the deque is fenced: its limit stays low and each record is offered.
 *
 * Progress: push and plain pop are wait-free. A thief never waits: it only
 * tries the lock. The owner waits for the lock only if a thief has taken the
 * record or is deciding about it.
 *
 * tests/steal/deque.pml is a model of this protocol; `make check` explores all
 * its states.
 */
#ifndef STN_STEAL_DEQUE_H
#define STN_STEAL_DEQUE_H

#include <stddef.h>
#include <string.h>

#include "steal/sateen_record.h"
#include "transport/error.h"

/* stn_deque_bytes: the memory that a deque of @slots records needs. */
static inline size_t
stn_deque_bytes(size_t slots)
{
	/*
	 * The end slot follows the last one. The slot behind it is the head
	 * while results are spilled; a spawn writes arguments there.
	 */
	return (slots + 2) * sizeof(struct stn_record);
}

/*
 * stn_deque_init: makes an empty deque of @slots records. The kernel provides
 * memory only for slots that are used. Returns STN_OK or STN_NO_MEMORY.
 * @room    NULL, or memory of stn_deque_bytes, of zeros, aligned as a record,
 *     which the caller keeps until stn_deque_fini
 * @fenced  each spawn and each sync takes the slow path (stn_spawn_slow,
 *     stn_sync_slow), all records are offered, and thieves take offered records
 *     only
 */
STN_CHECKED enum stn_err stn_deque_init(struct stn_deque *deque, void *room,
					size_t slots, bool fenced);

/* stn_deque_fini: frees the slab of an empty deque that had no @room. */
void stn_deque_fini(struct stn_deque *deque);

/*
 * stn_deque_push: pushes a record whose arguments are written. Offers the new
 * record and the oldest one.
 */
void stn_deque_push(struct stn_deque *deque, struct stn_record *record,
		    const struct stn_task *task);

/* stn_deque_offer: offers the oldest record. @record is the newest one. */
void stn_deque_offer(struct stn_deque *deque, struct stn_record *record);

/*
 * stn_deque_lend: pushes a record that @thief has already, STN_THIEF_NODE or
 * STN_THIEF_DONE. Its outputs or arguments are written. Waits for the lock,
 * because a thief that has looked at an earlier record in the slot may still
 * hold a claim.
 */
void stn_deque_lend(struct stn_deque *deque, struct stn_record *record,
		    const struct stn_task *task, int32_t thief);

/*
 * stn_deque_steal: takes the oldest record for @thief, one of STN_THIEF_*.
 * Returns NULL if the deque is empty, or if another thief is at work here; the
 * caller then looks elsewhere. stn_deque_task tells the task of the record. The
 * record stays in its slot until stn_deque_done. Costs a membarrier (some
 * microseconds) if the record isn't offered.
 */
struct stn_record *stn_deque_steal(struct stn_deque *deque, int32_t thief);

/*
 * stn_suits: decides whether @record may be stolen. The record's task and
 * arguments do not change during the call. The record's owner may be waiting
 * for the call to end, so the call must not block.
 */
typedef bool stn_suits(void *arg, const struct stn_record *record);

/*
 * stn_deque_steal_if: like stn_deque_steal, but takes the oldest record only if
 * @suits, called with @arg, returns true. Otherwise leaves the record in the
 * deque, offered, and returns NULL.
 */
struct stn_record *stn_deque_steal_if(struct stn_deque *deque, int32_t thief,
				      stn_suits *suits, void *arg);

/*
 * stn_deque_task: the task of a record that was taken. Relaxed: the owner may
 * store the same value at the same time, in an offer that comes too late.
 */
static inline const struct stn_task *
stn_deque_task(const struct stn_record *record)
{
	return __atomic_load_n(&record->task, __ATOMIC_RELAXED);
}

/*
 * stn_deque_done: called by the thief when it has run the stolen record and the
 * outputs are in place. The slot is the owner's again. The release pairs with
 * the acquire in stn_deque_is_done.
 */
void stn_deque_done(struct stn_record *record);

/*
 * stn_deque_is_done: whether the thief has called stn_deque_done. If true, the
 * caller sees the outputs.
 */
bool stn_deque_is_done(const struct stn_record *record);

/*
 * stn_deque_retake: the owner's pop of a record whose thief word was not NONE.
 * Returns the thief word; STN_THIEF_NONE if the owner has got the record.
 * Blocks only while a thief holds the lock, which is short.
 */
int32_t stn_deque_retake(struct stn_deque *deque, struct stn_record *record);

/*
 * stn_deque_free: the owner takes a slot back when stn_deque_is_done is true.
 */
void stn_deque_free(struct stn_deque *deque, struct stn_record *record);

/*
 * stn_deque_mark: offers the newest @most records, so that the owner's pops of
 * them take the slow path (stn_sync_slow). Returns the slot behind the newest
 * record, or the first slot if nothing was marked, because the deque is empty
 * or another thief is at work here. Costs one membarrier.
 */
struct stn_record *stn_deque_mark(struct stn_deque *deque, size_t most);

/*
 * stn_deque_offer_oldest: offers the oldest @most records, so that thieves that
 * take them one after the other need no membarrier. Costs one membarrier,
 * unless the oldest record is offered already; then it does nothing.
 */
void stn_deque_offer_oldest(struct stn_deque *deque, size_t most);

/*
 * stn_deque_maybe: whether a record may be there to steal.
 * stn_deque_offered: whether the oldest record may be offered.
 * Both are hints.
 */
bool stn_deque_maybe(const struct stn_deque *deque);
bool stn_deque_offered(const struct stn_deque *deque);

/* stn_deque_length: how many records could be stolen, up to @most. A hint. */
size_t stn_deque_length(const struct stn_deque *deque, size_t most);

/*
 * stn_record_copy: copies what a message has of a record: all but the words
 * `ready`, `task` and `thief`, which become 0. Other threads may write these
 * meanwhile.
 */
static inline void
stn_record_copy(struct stn_record *to, const struct stn_record *from)
{
	const size_t begin = offsetof(struct stn_record, rank);

	to->ready = to->task = NULL;
	to->thief = STN_THIEF_NONE;
	memcpy((char *)to + begin, (const char *)from + begin,
	       sizeof(*to) - begin);
}

/*
 * stn_deque_lower: makes the owner's next push take the slow path
 * (stn_spawn_slow).
 * stn_deque_raise: sets the limit back to the end of the slab. Owner only.
 */
void stn_deque_lower(struct stn_deque *deque);
void stn_deque_raise(struct stn_deque *deque);

/*
 * stn_deque_alone: only one thread ever uses this deque, which is empty and
 * fenced. Then stn_deque_maybe and others find out that it is empty
 * without reading its slots, which are in no cache if a simulation has many
 * nodes.
 */
void stn_deque_alone(struct stn_deque *deque);

/*
 * stn_deque_full: makes the end slot say so. The owner calls it before it uses
 * a head behind the last slot; not needed unless the deque is fenced.
 */
void stn_deque_full(struct stn_deque *deque);

#endif
