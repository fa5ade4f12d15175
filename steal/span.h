/*
 * span.h: work and span of the graph of tasks. The work is the time of all the
 * program's code. The span is the time of the code on the longest path through
 * the graph: no number of workers runs the program in less. Both are measured
 * under --trace in virtual time, and under --trace=tasks:FILE in the machine's
 * time; then all spawns and syncs take the slow path. Work with parts of arrays
 * belongs to no task, so a run with arrays has neither.
 *
 * The method is Cilkview's (He, Leiserson, Leiserson: "The Cilkview scalability
 * analyzer", SPAA 2010), without burden, which is Cilkview's model of the costs
 * of scheduling. Each worker carries the length of the longest path to the code
 * that it runs. A spawn writes that length into an entry, where the spawned
 * call's path begins; a sync goes on from the longer of two paths, the caller's
 * and the call's. A stolen call counts its path from 0, because its thief does
 * not know its beginning; the home adds that. Thieves of other nodes tell their
 * path by a message (SPAN, wire.h) ahead of the result, or, in virtual time,
 * write it into the home's entry, so that the run has the same messages as
 * without --trace.
 *
 * A call that runs in place, because the deque is full, lies on its caller's
 * path.
 */
#ifndef STN_STEAL_SPAN_H
#define STN_STEAL_SPAN_H

#include "node/worker.h"
#include "steal/deque.h"
#include "steal/wire.h"

struct stn_job;
struct stn_steal;

/* Of the record in one slot: where its path begins, and where it ends. */
struct stn_span_entry {
	uint64_t begin_ns, end_ns;
};

/* Of an owner; own thread. */
struct stn_span {
	/*
	 * One for each slot, or NULL: nothing is measured. The end of a stolen
	 * record is written by its thief, or under the net lock, before
	 * stn_deque_done; the owner reads it after stn_deque_is_done.
	 */
	struct stn_span_entry *entries;
	bool own;	   /* the entries are not part of a room */
	uint64_t path_ns;  /* the longest path to here */
	uint64_t since_ns; /* in the machine's time: when code began to run */
};

/*
 * stn_span_wanted: whether the run measures them.
 * stn_span_bytes: the memory of the entries for @slots; 0 if !stn_span_wanted.
 */
bool stn_span_wanted(const struct stn_config *config, bool simulated);
size_t stn_span_bytes(const struct stn_config *config, bool simulated);

/*
 * stn_span_init: @room is memory of stn_span_bytes, of zeros, which the caller
 * keeps until stn_span_fini; or NULL. STN_NO_MEMORY.
 */
STN_CHECKED enum stn_err stn_span_init(struct stn_span *span,
				       const struct stn_config *config,
				       bool simulated, void *room);
void stn_span_fini(struct stn_span *span);

/*
 * stn_span_returns: the job has run, and its result is about to leave, or to
 * replace the record. Tells its path to its home. Net lock held.
 * stn_span_take: the same, from a message.
 */
void stn_span_returns(struct stn_steal *steal, const struct stn_job *job);
void stn_span_take(struct stn_steal *steal, const struct stn_wire_span *span);

/* stn_span_add: code of the program has run on @worker for @ns. */
static inline void
stn_span_add(struct stn_span *span, struct stn_worker *worker, uint64_t ns)
{
	if (!span->entries)
		return;
	span->path_ns += ns;
	worker->graph.work_ns += ns;
}

/* stn_span_spawned: @record is about to be pushed. */
static inline void
stn_span_spawned(struct stn_span *span, const struct stn_deque *deque,
		 const struct stn_record *record)
{
	if (span->entries)
		span->entries[record - deque->slots] =
			(struct stn_span_entry){ span->path_ns, span->path_ns };
}

/*
 * stn_span_enter: the owner is about to run a call that it has popped. Returns
 * the path of the caller.
 * stn_span_steal: the same with a call that was stolen.
 */
static inline uint64_t
stn_span_enter(struct stn_span *span, const struct stn_deque *deque,
	       const struct stn_record *record)
{
	uint64_t path_ns = span->path_ns;

	if (span->entries)
		span->path_ns = span->entries[record - deque->slots].begin_ns;
	return path_ns;
}
static inline uint64_t
stn_span_steal(struct stn_span *span)
{
	uint64_t path_ns = span->path_ns;

	span->path_ns = 0;
	return path_ns;
}

/*
 * stn_span_join: a sync: @path_ns is the path of the caller or of the call, and
 * the span has the other one.
 * stn_span_synced: the same with a record that a thief has run.
 */
static inline void
stn_span_join(struct stn_span *span, uint64_t path_ns)
{
	if (span->path_ns < path_ns)
		span->path_ns = path_ns;
}
static inline void
stn_span_synced(struct stn_span *span, const struct stn_deque *deque,
		const struct stn_record *record)
{
	if (span->entries)
		stn_span_join(span,
			      span->entries[record - deque->slots].end_ns);
}

/* stn_span_end: a thief has run @record, whose owner has @span. */
static inline void
stn_span_end(struct stn_span *span, const struct stn_deque *deque,
	     const struct stn_record *record, uint64_t path_ns)
{
	struct stn_span_entry *entry;

	if (!span->entries)
		return;
	entry = &span->entries[record - deque->slots];
	entry->end_ns = entry->begin_ns + path_ns;
}

#endif
