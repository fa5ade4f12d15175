/*
 * adopt.h: results that are not computed twice. A job whose home has died goes
 * on; its result is an orphan. When the call is spawned again, on another node
 * and as part of a record that is run again, that node finds the orphan by its
 * key (key.h), and becomes the home of the job. If the job is done, its result
 * is sent at once.
 *
 * The orphans of all nodes become known to all by the notices of a view
 * (node/membership.h). Net lock held, unless said otherwise.
 */
#ifndef STN_STEAL_ADOPT_H
#define STN_STEAL_ADOPT_H

#include "node/membership.h"
#include "steal/wire.h"

struct stn_job;
struct stn_owner;
struct stn_steal;

/*
 * stn_adopt_keep: @job is done and its home has died: keeps its result, if
 * job->spent_ns is so long that the result is worth its memory.
 */
void stn_adopt_keep(struct stn_steal *steal, struct stn_job *job);

/*
 * stn_adopt_unsent: the send of @job's result has ended with @err. If its home
 * has died, keeps the result. If the fabric could not pin it, its home runs the
 * record again. Without survival either ends the run; so does another error.
 */
void stn_adopt_unsent(struct stn_steal *steal, struct stn_job *job,
		      enum stn_err err);

/*
 * stn_adopt_prepare: node @rank has died: computes the keys of its jobs, for
 * their announcement. No lock held.
 */
void stn_adopt_prepare(struct stn_steal *steal, uint32_t rank);

/*
 * stn_adopt_notices: announces the orphans of this node, and the deposits that
 * it has made.
 * stn_adopt_noticed: takes the announcements of all nodes.
 * stn_adopt_died: forgets what node @rank has announced.
 */
void stn_adopt_notices(struct stn_steal *steal);
void stn_adopt_noticed(struct stn_steal *steal,
		       const struct stn_notice *notices, size_t count);
void stn_adopt_died(struct stn_steal *steal, uint32_t rank);

/*
 * stn_adopt_fetch: node @from wants the result with that key: sends it, or
 * makes @from the home of the job that computes it, or says GONE.
 */
void stn_adopt_fetch(struct stn_steal *steal, uint32_t from,
		     const struct stn_wire_fetch *fetch);

/*
 * stn_adopt_spawned: @owner spawns a call of @task, inside a record that is run
 * again. If there is an orphan of the call, lends the record to the node that
 * has it, or completes it, and returns true. The arguments are in the record,
 * which is not in the deque yet. Owner's thread, no lock held.
 */
bool stn_adopt_spawned(struct stn_owner *owner, struct stn_record *record,
		       const struct stn_task *task);

#endif
