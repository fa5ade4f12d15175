/*
 * inbox.h: the inbox of a node: records from other nodes that wait for a
 * worker. A job is the record of another node with memory for its buffers and
 * its result. A job lives from the record's grant or push until its result has
 * left.
 */
#ifndef STN_STEAL_INBOX_H
#define STN_STEAL_INBOX_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/queue.h>

#include "steal/sateen_record.h"
#include "steal/wire.h"

struct stn_request;
struct stn_steal;

struct stn_job {
	struct stn_record record;
	TAILQ_ENTRY(stn_job) link; /* in the inbox's list */
	LIST_ENTRY(stn_job) all;   /* in the service's list; net lock held */
	uint64_t number;	   /* counts jobs in the order of arrival */
	struct stn_steal *steal;
	struct stn_request *request; /* answered by it; NULL: it was pushed, or
				      * came in a bundle */
	void *result;		     /* the place of the result, in memory */
	struct stn_wire_result home; /* header of the RESULT message */
	uint32_t from;		     /* the node that has sent the record */
	bool homeward; /* spawned on this node; unlike the record's rank, this
			* does not change when the job is adopted */
	bool wide;     /* came over a link between clusters */
	bool counted;  /* its sender counts it as in transit */
	uint64_t came_ns, came_bytes;
	uint64_t bytes;	  /* size of its buffers and its result */
	bool landing;	  /* parts of it are arriving; net lock held */
	uint32_t missing; /* number of these parts; net lock held */
	enum stn_err err; /* of the first part that was lost */
	bool done;	  /* it has been run; net lock held */
	bool leaves;	  /* on its way to another node; net lock held */
	struct stn_key inouts, key; /* see stn_job_key; net lock held */
	bool has_key;
	bool hashing; /* its key is being computed without the net lock: */
	bool dropped; /* it is to be freed after that; net lock held */
	uint64_t spent_ns; /* time that it took to run */
	uint64_t path_ns;  /* its longest path; see span.h */
	uint32_t nested;   /* where its frame begins; see nested.h */
	_Alignas(64) unsigned char memory[]; /* as stn_buffers_adopt needs */
};

TAILQ_HEAD(stn_jobs, stn_job);
LIST_HEAD(stn_all_jobs, stn_job);

/*
 * Two lists of jobs, oldest first: jobs whose record was spawned on this node,
 * and others. A search for one kind need not pass over the other kind.
 *
 *	any thread	put, take, take_if, take_foreign,	at any time
 *			take_copy
 *	one thread	init, fini				alone
 *
 * All calls lock, so that a thread that takes a job sees what the putting
 * thread has written. The counts change under the lock and are read outside it
 * as hints; they pair with nothing. A worker doesn't miss a job by a stale
 * hint: stn_node_wake follows each put, and its generation ends the worker's
 * sleep.
 */
struct stn_inbox {
	pthread_mutex_t lock;
	struct stn_jobs homeward, foreign;
	uint64_t last_number;
	_Atomic(uint32_t) waiting;  /* jobs in both lists */
	_Atomic(uint32_t) returned; /* jobs in homeward */
};

/* stn_inbox_init, _fini: @inbox must be zeroed before, and empty at the end. */
void stn_inbox_init(struct stn_inbox *inbox);
void stn_inbox_fini(struct stn_inbox *inbox);

/*
 * stn_job_create: a job for a record from outside that stn_wire_parse has
 * accepted. The record's buffers and its result get memory of the job. NULL: no
 * memory.
 * stn_job_free: when the result has left, or when the job will not be run. Both
 * with the net lock held.
 * stn_jobs_fini: at the end of the run; frees all jobs.
 */
struct stn_job *stn_job_create(struct stn_steal *steal,
			       const struct stn_record *record);
void stn_job_free(struct stn_job *job);
void stn_jobs_fini(struct stn_steal *steal);

/*
 * stn_job_identify: hashes the job's inout buffers for its key (key.h). Called
 * before the job runs, when its buffers have their contents; only in a run that
 * survives deaths or keeps results. A run that keeps results looks each key up,
 * so there the call computes the whole key, and the key may be read without the
 * lock from then on.
 * stn_job_hash: computes the job's key: hashes all in buffers, which takes long
 * if they are large. Needs no lock, so that other threads need not wait for it.
 * stn_job_set_key: sets the key that stn_job_hash has returned.
 * stn_job_hash_aside: computes the key by stn_job_hash, without the net lock,
 * and sets it. The job may be freed.
 * stn_job_key: the job's key, which the first call computes, if it was not set.
 * A worker sets it before it deposits the job's result. When a node dies, the
 * keys of all its jobs are set before that view is applied.
 * stn_job_identify must have been called before the last four, and the net
 * lock is held in all but stn_job_hash.
 * stn_job_hint: the hint of that key, also while the job runs: its result does
 * not overwrite its arguments. Any thread.
 */
void stn_job_identify(struct stn_job *job);
struct stn_key stn_job_hash(const struct stn_job *job);
void stn_job_set_key(struct stn_job *job, struct stn_key key);
void stn_job_hash_aside(struct stn_job *job);
struct stn_key stn_job_key(struct stn_job *job);
uint32_t stn_job_hint(const struct stn_job *job);

/*
 * stn_inbox_put: appends a job.
 * stn_inbox_take: takes the oldest job, or returns NULL.
 * stn_inbox_take_if: takes the oldest job that @fits; asks under the lock.
 * stn_inbox_take_foreign: takes the oldest job spawned on another node.
 * stn_inbox_take_copy: takes the job that is a copy of @record, which lies in a
 * deque of this node.
 * Any thread. All but put return NULL if there is no such job.
 */
void stn_inbox_put(struct stn_steal *steal, struct stn_job *job);
struct stn_job *stn_inbox_take(struct stn_steal *steal);
struct stn_job *stn_inbox_take_if(struct stn_steal *steal,
				  bool (*fits)(const struct stn_job *job,
					       void *arg),
				  void *arg);
struct stn_job *stn_inbox_take_foreign(struct stn_steal *steal);
struct stn_job *stn_inbox_take_copy(struct stn_steal *steal,
				    struct stn_record *record);

#endif
