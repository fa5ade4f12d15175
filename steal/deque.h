/*
 * deque.h: a worker's deque of records, from which thieves take the oldest.
 *
 * Slots lie in a slab. Those below the tail were stolen, those from the tail
 * to the head are ready or stolen, those above are free. Thieves take the first
 * that is ready. The owner's push and pop are in sateen_task.h, and know
 * nothing but their slot. Who may call what, when:
 *
 *	owner		push, offer, pop, retake, free	one at a time
 *	any thread	steal, steal_if,		at any time
 *			maybe, offered, length, lower
 *	the thief	done				once for a record
 *
 * A thief gets a record in one of two ways.
 *
 * The claim works at any time, also while the owner is inside a long call.
 * Owner and thief compete for one record, and settle it as in Dijkstra's mutual
 * exclusion ("THE" in Frigo, Leiserson, Randall: "The implementation of the
 * Cilk-5 multithreaded language", PLDI 1998, section 5), slot by slot instead
 * of by indices, with a fence on one side only:
 *
 *	owner: ready = NULL          thief, holding the lock: thief = me
 *	       (nothing)	            membarrier
 *	       thief == NONE ? mine         ready != NULL ? mine : thief = NONE
 *
 * The membarrier makes every running thread of the process pass a full fence
 * between the thief's two steps. If that point comes before the owner's first
 * step in the order of the owner's thread, the owner's second step sees the
 * thief's claim; if it comes after, the thief sees NULL. So at least one sees
 * the other. An owner that sees a claim takes the lock, behind which the thief
 * has either kept the record or let go.
 *
 * Between the thief's two steps the owner may pop the record, run it, and push
 * another one into the same slot. Then the thief, which looks whether there is
 * a record and not which, takes the new one, and rightly: the owner's pop
 * of the new one had not happened when the thief looked, so it comes after the
 * point above, and sees the claim.
 *
 * The offer spares thieves the membarrier, a system call that interrupts all
 * that compute. A thief that waits nearby lowers the limit; the owner's next
 * spawn sees it, and swaps the words of the new and the oldest record from
 * NONE to OFFERED. An offered record is for who swaps it first: a thief OFFERED
 * for itself, or the owner, on its pop, OFFERED for NONE. An offer and a claim
 * that meet are settled by the swap from NONE, which one of them fails. As the
 * owner's pop may have cleared the ready word before it loses the swap, thieves
 * take what to call from the task word, set before the offer. Such a thief
 * needs no lock, and leaves the tail behind: it is moved now and then, under
 * the lock.
 *
 * A thief that looks before it takes does either of the two under the lock, and
 * for UNDECIDED instead of itself. Then the record stands still, as an owner
 * that pops it waits for the lock. Before the thief gives that back, it makes
 * the word its own, or OFFERED, even if it was NONE: so the next look costs no
 * membarrier, and the owner gets the record by a swap, which orders the look
 * before what it writes into the slot next; its plain pop wouldn't. An owner
 * that has lost its swap tries it again under the lock, where it loses only to
 * thieves that don't look. For others an undecided record is still the oldest:
 * the tail stays there, and who looks whether to sleep doesn't miss it.
 *
 * Where the kernel has no membarrier, or the program's spawns are counted, the
 * deque is fenced: its limit stays low and each record is offered.
 *
 * Progress: push and plain pop are wait-free. A thief never waits: it tries
 * the lock. The owner waits for the lock only when it lost a record, or nearly.
 *
 * tests/deque.pml is a model of all this, which `make check` exhausts.
 */
#ifndef STN_STEAL_DEQUE_H
#define STN_STEAL_DEQUE_H

#include "steal/sateen_task.h"
#include "transport/error.h"

/*
 * stn_deque_init: makes an empty deque of @slots records, in memory that is
 * touched only when used. Returns STN_OK or STN_NO_MEMORY.
 */
STN_CHECKED enum stn_err stn_deque_init(struct stn_deque *deque, size_t slots);

/* stn_deque_fini: frees an empty deque's slab. */
void stn_deque_fini(struct stn_deque *deque);

/*
 * stn_deque_push: pushes a record whose arguments are written, and offers it
 * and the oldest one.
 */
void stn_deque_push(struct stn_deque *deque, struct stn_record *record,
		    const struct stn_task *task);

/* stn_deque_offer: offers the oldest record; the newest is @record. */
void stn_deque_offer(struct stn_deque *deque, struct stn_record *record);

/*
 * stn_deque_steal: takes the oldest record; @thief is one of STN_THIEF_*. What
 * to call, stn_deque_task tells. Returns NULL if there is none, or if another
 * thief is at work here: ask elsewhere. The record stays in its slot until
 * stn_deque_done. Costs a membarrier (some microseconds) if the record isn't
 * offered.
 */
struct stn_record *stn_deque_steal(struct stn_deque *deque, int32_t thief);

/*
 * stn_suits: may this record be stolen? While it is asked, its task and its
 * arguments stand still, and its owner may be waiting: it must not block.
 */
typedef bool stn_suits(void *arg, const struct stn_record *record);

/*
 * stn_deque_steal_if: as stn_deque_steal, but takes the oldest record only if
 * @suits says yes, with @arg; else leaves it where it is, offered, and returns
 * NULL.
 */
struct stn_record *stn_deque_steal_if(struct stn_deque *deque, int32_t thief,
				      stn_suits *suits, void *arg);

/*
 * stn_deque_task: what to call, of a record that was taken. Its owner may be
 * writing the same there, in an offer that comes too late.
 */
static inline const struct stn_task *
stn_deque_task(const struct stn_record *record)
{
	return __atomic_load_n(&record->task, __ATOMIC_RELAXED);
}

/*
 * stn_deque_done: the stolen record has been run, its outputs are in place;
 * from now on the slot is the owner's. Pairs with stn_deque_is_done.
 */
void stn_deque_done(struct stn_record *record);

/* stn_deque_is_done: has the thief called stn_deque_done? */
bool stn_deque_is_done(const struct stn_record *record);

/*
 * stn_deque_retake: the owner's pop of a record whose word was not NONE.
 * Returns the thief's word, STN_THIEF_NONE if the record is the owner's after
 * all. Waits for a thief's decision only.
 */
int32_t stn_deque_retake(struct stn_deque *deque, struct stn_record *record);

/* stn_deque_free: the owner takes a slot back after stn_deque_is_done. */
void stn_deque_free(struct stn_deque *deque, struct stn_record *record);

/*
 * stn_deque_maybe: is there perhaps a record to be stolen?
 * stn_deque_offered: perhaps even one that is offered? Both are hints.
 */
bool stn_deque_maybe(const struct stn_deque *deque);
bool stn_deque_offered(const struct stn_deque *deque);

/* stn_deque_length: how many records could be stolen, up to @most. A hint. */
size_t stn_deque_length(const struct stn_deque *deque, size_t most);

/*
 * stn_deque_lower: makes the owner's next push look up (stn_spawn_slow);
 * stn_deque_raise: back to the end of the slab; the owner only.
 */
void stn_deque_lower(struct stn_deque *deque);
void stn_deque_raise(struct stn_deque *deque);

/*
 * stn_deque_offer_all: from now on each spawn and each sync looks up
 * (stn_spawn_slow, stn_sync_slow), and thieves take only what is offered, which
 * is everything. For an empty deque that nobody else knows yet.
 */
void stn_deque_offer_all(struct stn_deque *deque);

/*
 * stn_fence_prepare: lets this process use stn_fence_process. False if the
 * kernel can't. Instant before the process has a second thread, and later
 * whenever it was called before; else it takes some 50 ms.
 */
bool stn_fence_prepare(void);

/*
 * stn_fence_process: every thread of the process passes a full fence before
 * this returns; the slow side of an asymmetric pair. False if the kernel can't,
 * and nothing was done.
 */
bool stn_fence_process(void);

#endif
