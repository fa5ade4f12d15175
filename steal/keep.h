/*
 * keep.h: what --keep and --resume do in a run. A node keeps finished results
 * in a log (keep_writer.h), and takes results from logs of an earlier run
 * (resume.h).
 *
 * Every 50 ms the records in each worker's deque are marked. If the worker pops
 * a marked record, the pop takes the slow path; the worker looks for the call
 * in the index of --resume, or times its run and keeps its result. The calls of
 * jobs and of records that were stolen inside the node are treated likewise. So
 * all work is part of a call that is kept when it ends, except what a call did
 * between its start and the next mark. Without marks nothing is timed.
 */
#ifndef STN_STEAL_KEEP_H
#define STN_STEAL_KEEP_H

#include "steal/keep_writer.h"
#include "steal/resume.h"
#include "steal/steal.h"

/* A call that took less is repeated rather than kept. */
#define STN_KEEP_LEAST_NS 1000000

struct stn_keep {
	struct stn_log_writer writer;
	bool stopped;
	bool told;	  /* the root has told the run's number */
	struct stn_wire_run run; /* that number, as the root has told it */
	uint64_t sync_ns; /* in virtual time: when to sync */
};

/*
 * stn_keep_open: reads the logs to resume from, and prepares a log to keep
 * results in, as the settings say. STN_INVALID or STN_IO.
 * stn_keep_finish: all workers have ended.
 * stn_keep_close: removes the logs, if the run has succeeded.
 */
STN_CHECKED enum stn_err stn_keep_open(struct stn_steal *steal,
				       struct stn_why *why);
void stn_keep_finish(struct stn_steal *steal);
void stn_keep_close(struct stn_steal *steal);

/*
 * stn_keep_tick: marks records if it is time. Returns when to call it again.
 * stn_keep_run: the root has told the run's number.
 * stn_keep_joined: node @rank has joined. The root of that view tells it the
 * number: the root that has chosen the number may be dead.
 * Net lock held.
 */
uint64_t stn_keep_tick(struct stn_steal *steal, uint64_t now);
void stn_keep_run(struct stn_steal *steal, const struct stn_wire_run *run);
void stn_keep_joined(struct stn_steal *steal, uint32_t rank);

/*
 * stn_keep_flush: before the node leaves: whether all results that it has kept
 * are on disk, or can't be written. Otherwise it is to be called again soon.
 */
bool stn_keep_flush(struct stn_steal *steal);

/* stn_keep_continues: whether the run keeps where it has resumed from. */
bool stn_keep_continues(const struct stn_steal *steal);

/* stn_keeps: whether calls are kept or looked up. */
static inline bool
stn_keeps(const struct stn_steal *steal)
{
	return steal->keep || (steal->resume && steal->resume->count);
}

/*
 * stn_keep_popped: the owner has popped @record, by the slow path: returns
 * whether the record was marked, and it is not too expensive to compute its
 * key. Owner's thread.
 * stn_keep_popped_marked: its slow part, for a record that was marked.
 */
bool stn_keep_popped_marked(struct stn_owner *owner, struct stn_record *record,
			    const struct stn_task *task);
static inline bool
stn_keep_popped(struct stn_owner *owner, struct stn_record *record,
		const struct stn_task *task)
{
	/*
	 * Relaxed, here and in keep.c: a mark that is seen too late, or in a
	 * slot that has another record by now, only changes what is kept.
	 */
	return record < atomic_load_explicit(&owner->kept,
					     memory_order_relaxed) &&
	       stn_keep_popped_marked(owner, record, task);
}

/*
 * stn_keep_may: whether a call of @task that the owner has not spawned should
 * be kept or looked up.
 * stn_keep_hashes: whether the owner may compute the call's key: it hashes a
 * limited number of bytes of inputs between two marks. Counts those of the call
 * if so.
 * Owner's thread.
 */
bool stn_keep_hashes(struct stn_owner *owner, const struct stn_record *record,
		     const struct stn_task *task);
static inline bool
stn_keep_may(struct stn_owner *owner, const struct stn_record *record,
	     const struct stn_task *task)
{
	return stn_keeps(owner->steal) && stn_keep_hashes(owner, record, task);
}

/* A call that may be kept, as it was before its run. */
struct stn_kept {
	struct stn_record record; /* a copy, because the run overwrites it */
	const struct stn_task *task;
	struct stn_key key;
	uint32_t hint;
	uint64_t begin_ns;
};

/*
 * stn_keep_begin: before the run of a call.
 * stn_keep_result: the result of a call that took @spent_ns: keeps it, if it is
 * worth that. @record is as it was before the run, except for the contents of
 * its buffers.
 * stn_keep_end: the same after the run of a call that was begun.
 * Owner's thread, no lock held.
 */
void stn_keep_begin(struct stn_owner *owner, struct stn_kept *kept,
		    const struct stn_task *task,
		    const struct stn_record *record);
void stn_keep_result(struct stn_owner *owner, const struct stn_record *record,
		     const struct stn_task *task, struct stn_key key,
		     uint32_t hint, uint64_t spent_ns, void *result);
void stn_keep_end(struct stn_owner *owner, const struct stn_kept *kept,
		  void *result);

/*
 * stn_keep_reuse: if an earlier run has kept the result of the call, writes
 * its outputs to where the call would have written them, and returns true.
 * Owner's thread, no lock held.
 */
bool stn_keep_reuse(struct stn_owner *owner, const struct stn_task *task,
		    const struct stn_record *record, struct stn_key key,
		    uint32_t hint, void *result);

/*
 * stn_keep_looks: whether the owner looks up its next spawn.
 * stn_keep_spawned: @owner spawns a call: if an earlier run has kept its
 * result, completes the record and returns true. The arguments are in the
 * record, which is not in the deque yet.
 * stn_keep_look: the owner begins a call that may be large.
 * Owner's thread, no lock held.
 */
static inline bool
stn_keep_looks(const struct stn_owner *owner)
{
	return atomic_load_explicit(&owner->looks, memory_order_relaxed) > 0;
}
bool stn_keep_spawned(struct stn_owner *owner, struct stn_record *record,
		      const struct stn_task *task);
void stn_keep_look(struct stn_owner *owner);

#endif
