/*
 * deposit.h: results that another node keeps in case this node dies.
 * If it does, the receiver announces them as orphans (adopt.h), and the calls
 * are not repeated.
 *
 * Every --deposit the service marks the records that lie in each worker's
 * deque. If the worker pops a marked record, the pop takes the slow
 * path, the run is timed, and its result is deposited if the run took long
 * enough. Every call that begins later is part of a marked record, or of a call
 * that was under way at the time of the mark; the next mark covers the records
 * of that call. So a dead worker loses the work since the last mark but one,
 * and its longest leaf. Records that nobody marks are not timed, and cost
 * nothing.
 *
 * The results of jobs are deposited likewise. If the job's home is in another
 * cluster, or, in a run of one cluster, on another host, this node keeps a copy
 * itself: of the two copies one survives.
 *
 * This node keeps a copy of each deposit, too. The node may be computing an
 * orphan, and another node may have to repeat that call (take_back in
 * worker.c); then it finds the results of the call's parts.
 *
 * A deposit goes to other clusters: to one, or to two if there are three or
 * more. A result that is too large for the links between clusters, or that has
 * no other cluster to go to, goes to another node of this cluster, on another
 * host if there is one. When the node that keeps a copy dies, nobody replaces
 * the copy. When it leaves, it hands the copy over to another node (leave.h).
 *
 * A deposit supersedes the worker's deposits of calls inside it (nested.h). The
 * message has their keys, so a node that keeps the outer result removes the
 * inner ones. A node that has only the inner ones keeps them: they are all that
 * remains of the call if the nodes with its result die.
 */
#ifndef STN_STEAL_DEPOSIT_H
#define STN_STEAL_DEPOSIT_H

#include "steal/steal.h"

/* A call that may be deposited, as it was before its run. */
struct stn_deposit {
	struct stn_record record; /* a copy, because the run overwrites it */
	const struct stn_task *task;
	struct stn_key inouts; /* stn_key_inouts of the record, before the run
				*/
	uint32_t hint;
	uint64_t begin_ns;
	uint32_t nested; /* where its frame begins; see nested.h */
};

/*
 * stn_deposit_tick: marks records if it is time. Returns when to call it again.
 * Net lock held.
 */
uint64_t stn_deposit_tick(struct stn_steal *steal, uint64_t now);

/*
 * stn_deposit_popped: the owner has popped @record, by the slow path: returns
 * whether the record was marked. A hint. Owner's thread.
 */
static inline bool
stn_deposit_popped(struct stn_owner *owner, struct stn_record *record)
{
	/*
	 * Relaxed, here and in deposit.c: a mark that is seen too late, or in a
	 * slot that has another record by now, only changes what is deposited.
	 */
	if (record >=
	    atomic_load_explicit(&owner->marked, memory_order_relaxed))
		return false;
	atomic_store_explicit(&owner->marked, record, memory_order_relaxed);
	return true;
}

/*
 * stn_deposit_begin: before the run of a marked record: sets *@deposit, which
 * the caller keeps until stn_deposit_end. False if the result won't be
 * deposited, because the worker has hashed so many bytes of inout buffers since
 * the last mark that more would take too long; then stn_deposit_end must not be
 * called.
 * stn_deposit_end: after the run: deposits the result, if the run took long
 * enough for its size.
 * Owner's thread, no lock held.
 */
bool stn_deposit_begin(struct stn_owner *owner, struct stn_deposit *deposit,
		       const struct stn_task *task,
		       const struct stn_record *record);
void stn_deposit_end(struct stn_owner *owner, const struct stn_deposit *deposit,
		     void *result);

/*
 * stn_deposit_is_likely: after the run of a job: whether stn_deposit_job needs
 * the job's key. A hint; owner's thread, no lock held.
 * stn_deposit_job: deposits the job's result likewise. Owner's thread, net lock
 * held.
 */
bool stn_deposit_is_likely(const struct stn_job *job, uint64_t spent_ns);
void stn_deposit_job(struct stn_owner *owner, struct stn_job *job);

/* stn_deposit_take: a DEPOSIT has arrived. Net lock held. */
void stn_deposit_take(struct stn_steal *steal,
		      const struct stn_message *message,
		      const struct stn_wire_deposit *deposit);

#endif
