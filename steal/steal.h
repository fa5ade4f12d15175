/*
 * steal.h: the state of the stealing service, on one node and on one worker.
 * All of it is under the net lock except the inbox, the deques, and the members
 * marked atomic. The inbox has a lock of its own, which is taken after the net
 * lock. A deque's lock is taken last.
 *
 * The files of the service; each file uses only the files above it:
 *
 *	bounds	   the calls of sateen_bound.h
 *	constants  the calls of sateen_const.h, and the constants of records
 *	holders	   which node holds each lent record
 *	span	   work and span of the graph of tasks
 *	requests   steal requests that this node has sent
 *	inbox	   records from other nodes that wait for a worker
 *	bundle	   several records, or several results, in one message
 *	loan	   records that leave this node
 *	decide	   asks the balancer and carries out its moves
 *	result	   results that come home
 *	redo	   runs records again whose holders have died
 *	claims	   whether running orphans have been adopted
 *	adopt	   results of calls whose homes have died
 *	returns	   results that go home together
 *	leave	   hands over the work of a node that leaves
 *	nested	   deposits that a later deposit of their worker supersedes
 *	deposit	   results that other nodes keep for the case of a death
 *	keep	   results that are kept on disk, and taken from there; with
 *		   keep_log, keep_writer and resume, which know no nodes
 *	pure	   runs calls twice to find tasks that are not pure
 *	victim	   answers a steal request
 *	parked	   steal requests that wait here for a record
 *	thief	   answers to this node's requests; results that go home
 *	neighbour  a worker steals a record from another worker of its node
 *	worker	   a worker runs records that it finds on this node
 *	spawn	   the slow paths of spawns and syncs
 *	owners	   opens and closes what each worker owns
 *	service	   the table of the service
 */
#ifndef STN_STEAL_STEAL_H
#define STN_STEAL_STEAL_H

#include "constants/service.h"
#include "node/node.h"
#include "node/worker.h"
#include "search/service.h"
#include "steal/claims.h"
#include "steal/counts.h"
#include "steal/decide.h"
#include "steal/orphans.h"
#include "steal/deque.h"
#include "steal/holders.h"
#include "steal/inbox.h"
#include "steal/key.h"
#include "steal/leave.h"
#include "steal/nested.h"
#include "steal/parked.h"
#include "steal/program.h"
#include "steal/pure.h"
#include "steal/requests.h"
#include "steal/returns.h"
#include "steal/span.h"
#include "steal/spill.h"
#include "steal/thief.h"

/*
 * The state of one worker, which owns a deque. The worker's thread writes it,
 * other threads use the deque's calls for any thread.
 */
struct stn_owner {
	struct stn_deque deque; /* first: stn_owner_of casts a deque */
	struct stn_node *node;
	struct stn_steal *steal;
	struct stn_worker *worker;
	uint64_t charged;	  /* charged part of deque.work */
	struct stn_random random; /* chooses victims inside the node */
	struct stn_spill spill;
	struct stn_holders holders; /* of the deque's lent records */
	uint8_t redoing; /* flags of the record that it runs; own thread */
	const struct stn_frame *main_frame; /* if it runs STN_MAIN's body, of
					     * that; own thread */
	_Atomic(bool) bound; /* see below; written by its own thread */
	_Atomic(struct stn_record *) marked; /* see deposit.h */
	_Atomic(size_t) inouts_left; /* bytes that may be hashed; likewise */
	struct stn_nested nested;    /* own thread */
	struct stn_returns returns;  /* results that it has kept */
	_Atomic(const struct stn_record *) whole; /* see neighbour.h */
	struct stn_span span;

	/* See keep.h and resume.h; hints, which pair with nothing. */
	_Atomic(struct stn_record *) kept, kept_low;
	_Atomic(size_t) inputs_left; /* bytes that may be hashed */
	_Atomic(int) looks;	     /* spawns that are looked up */
	bool hit; /* a result was found since the last mark; own thread */
	struct stn_pure_owner pure;	/* own thread */
	struct stn_owner_counts counts; /* written by the worker; lent by any
					 * thread, under the net lock */
};

/*
 * Bound workers. A job that began before its home died may be adopted by a call
 * that is run again (adopt.h). If the worker that waits inside that job ran an
 * ancestor of that call meanwhile, on the same stack, each of the two would
 * wait for the other. So a worker that has a job on its stack is bound as long
 * as running orphans are unclaimed (claims.h): in a sync it runs no records
 * that are run again, except the one that it waits for, and its requests ask
 * for none. Jobs that are part of a new run of main do not bind. The flags of
 * records are hints, and nothing binds a worker that runs a record of another
 * worker of its node, so this does not find all cases; take_back (worker.c)
 * ends the others.
 *
 * The members that most messages need are at the beginning, as in a node.
 * Owners, this structure and its arrays are one piece of memory.
 *
 * The atomics bound, unclaimed and impatience are hints, and pair with nothing.
 */
struct stn_steal {
	struct stn_node *node;
	struct stn_search *search; /* the bounds of this node */
	struct stn_constants *constants;
	const struct stn_program *program;
	char **argv; /* of STN_MAIN's body, if it has run here; see program.c */
	struct stn_owner *owners; /* by worker number */
	struct stn_random random;
	struct stn_deciding deciding;
	struct stn_pausing pausing;
	struct stn_parked_list parked;
	struct stn_inbox inbox;
	struct stn_all_jobs jobs;	/* in the inbox or not */
	struct stn_all_jobs spare_jobs; /* small ones that are free again */
	uint32_t spare_job_count;
	bool survives;		      /* the run survives deaths */
	_Atomic(bool) unclaimed;      /* orphans may be; see claims.h */
	bool checks_pure;	      /* see pure.h */
	_Atomic(unsigned) impatience; /* number of waits in vain */
	uint64_t mark_ns;      /* when to mark records again; see deposit.h */
	struct stn_keep *keep;	   /* NULL: no results are kept */
	struct stn_resume *resume; /* NULL: there is no earlier run */
	uint64_t keep_mark_ns; /* as mark_ns; see keep.h */
	uint32_t landing;      /* results that are arriving; see result.c */
	uint32_t in_transit;   /* pushed records that have not arrived */
	uint32_t *in_transit_to; /* the part of in_transit for each receiver;
				  * NULL in a simulation, where a send completes
				  * when the message arrives */
	struct stn_requests requests;
	struct stn_steal_counts counts;
	struct stn_orphans orphans;
	struct stn_handover handover;
	struct stn_claims claims;
	uint64_t price, plain_price; /* ns for STN_SPAWN_PRICE_CALLS spawns,
				      * counted and not counted */
};

extern const struct stn_service stn_steal_service;

/* stn_steal_executed: the number of tasks that @node has run so far. A hint. */
uint64_t stn_steal_executed(const struct stn_node *node);

/* stn_owner_of: the owner of @deque. */
static inline struct stn_owner *
stn_owner_of(struct stn_deque *deque)
{
	return (struct stn_owner *)deque;
}

/*
 * stn_owner_run: calls @task with the arguments in @record, and writes its
 * outputs. Own thread.
 */
static inline void
stn_owner_run(struct stn_owner *owner, const struct stn_record *record,
	      const struct stn_task *task, struct stn_record *head,
	      void *result)
{
	if (owner->steal->checks_pure && !stn_task_is_bounded(task))
		stn_pure_check(owner, record, task, head, result);
	else
		task->run(&owner->deque, record, head, result);
}

/*
 * stn_steal_key, _hint: the key and the hint of a call of @task (key.h), before
 * it runs.
 */
static inline struct stn_key
stn_steal_key(const struct stn_steal *steal, const struct stn_task *task,
	      const struct stn_record *record)
{
	return stn_key_of(stn_table_hash(&steal->program->table, task), task,
			  record, stn_key_inouts(task, record));
}
static inline uint32_t
stn_steal_hint(const struct stn_steal *steal, const struct stn_task *task,
	       const struct stn_record *record)
{
	return stn_key_hint(stn_table_hash(&steal->program->table, task), task,
			    record);
}

/*
 * stn_set_redoing: the owner's worker begins or ends to run a record that is
 * run again. Own thread.
 */
static inline void
stn_set_redoing(struct stn_owner *owner, uint8_t redoing)
{
	owner->redoing = redoing;
	if (redoing && stn_orphans_count(&owner->steal->orphans))
		stn_deque_lower(&owner->deque);
}

/*
 * stn_steal_seeking: the number of workers that look for work, awake or asleep.
 * Doesn't count the worker that spawned the record @spawned, unless that is
 * NULL. Any thread; a hint.
 */
static inline uint32_t
stn_steal_seeking(const struct stn_steal *steal,
		  const struct stn_record *spawned)
{
	const struct stn_node *node = steal->node;
	uint32_t count = 0;

	for (uint32_t i = 0; i < node->worker_count; i++) {
		const struct stn_deque *deque = &steal->owners[i].deque;

		/* Relaxed, like the store in set_seeking: a hint. */
		if (!spawned || spawned < deque->slots || spawned >= deque->end)
			count += atomic_load_explicit(&node->workers[i].seeking,
						      memory_order_relaxed);
	}
	return count;
}

/*
 * stn_steal_counts_all: whether every spawn and sync must take the slow path.
 */
static inline bool
stn_steal_counts_all(const struct stn_steal *steal)
{
	return steal->node->config->stats.wanted || steal->node->sim ||
	       steal->checks_pure || steal->deciding.balancer->longer ||
	       stn_span_wanted(steal->node->config, steal->node->sim);
}

#endif
