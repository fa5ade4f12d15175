/*
 * deque.h: a worker's deque of records, from which thieves take the oldest.
 *
 * Slots lie in a slab. Those below the tail were stolen, those from the tail
 * to the head are ready, those above are free. The owner's push and pop are in
 * sateen_task.h, and know nothing but their slot. Who may call what, when:
 *
 *	owner		push, pop, reclaim, free	one at a time
 *	any thread	steal, maybe, lower, raise	at any time
 *	the thief	done				once for a record
 *
 * The claim. Owner and thief compete only for one record, and settle it as
 * in Dijkstra's mutual exclusion ("THE" in Frigo, Leiserson, Randall: "The
 * implementation of the Cilk-5 multithreaded language", PLDI 1998, section 5),
 * slot by slot instead of by indices, with the fences on one side only:
 *
 *	owner: state = FREE          thief, holding the lock: thief = me
 *	       (nothing)	            membarrier
 *	       thief == NONE ? mine         state == READY ? mine
 *
 * The membarrier makes every running thread of the process pass a full fence
 * between the thief's two steps. If that point comes before the owner's first
 * step in the order of the owner's thread, the owner's second step sees the
 * thief's claim; if it comes after, the thief sees FREE. So at least one sees
 * the other. An owner that sees a claim takes the lock, behind which the thief
 * has either kept the record or let go. Where the kernel has no membarrier,
 * the deque is "fenced": both use a fence.
 *
 * Between the thief's two steps the owner may pop the record, run it, and push
 * another one into the same slot. Then the thief, which looks at the state and
 * not at who the record was, takes the new one, and rightly: the owner's pop
 * of the new one had not happened when the thief looked, so it comes after the
 * point above, and sees the claim.
 *
 * Progress: push and pop are wait-free. A thief never waits: it tries the lock.
 * The owner waits for the lock only when it lost a record, or nearly.
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
 * stn_deque_steal: takes the oldest record; @thief is one of STN_THIEF_*.
 * Returns NULL if there is none, or if another thief is at work here: ask
 * elsewhere. The record stays in its slot until stn_deque_done.
 * Costs a membarrier (some microseconds) if there seems to be a record.
 */
struct stn_record *stn_deque_steal(struct stn_deque *deque, uint32_t thief);

/*
 * stn_deque_done: the stolen record has been run, its outputs are in place;
 * from now on the slot is the owner's. Pairs with stn_deque_is_done.
 */
void stn_deque_done(struct stn_record *record);

/* stn_deque_is_done: has the thief called stn_deque_done? */
bool stn_deque_is_done(struct stn_record *record);

/*
 * stn_deque_reclaim: the owner's pop of a record that showed a claim. Returns
 * the thief's word, STN_THIEF_NONE if it let go; waits for its decision only.
 */
uint32_t stn_deque_reclaim(struct stn_deque *deque, struct stn_record *record);

/* stn_deque_free: the owner takes a slot back after stn_deque_is_done. */
void stn_deque_free(struct stn_deque *deque, struct stn_record *record);

/* stn_deque_maybe: is there perhaps a record to be stolen? A hint. */
bool stn_deque_maybe(struct stn_deque *deque);

/*
 * stn_deque_lower: makes the owner's next push look up (stn_spawn_announce);
 * stn_deque_raise: back to the end of the slab.
 */
void stn_deque_lower(struct stn_deque *deque);
void stn_deque_raise(struct stn_deque *deque);

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
