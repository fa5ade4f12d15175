/*
 * returns.h: results of records of other nodes that go home together. A worker
 * that has run one of several short records keeps the result until the worker
 * finds no further record, until the next record's call spawns, or for a
 * millisecond, which the progress thread watches. Results that are kept are all
 * for one node. Its syncs come in the reverse order of its spawns, and the
 * oldest record runs first, so that node can rarely go on before the last of
 * these results is there.
 */
#ifndef STN_STEAL_RETURNS_H
#define STN_STEAL_RETURNS_H

#include "steal/inbox.h"

struct stn_bundle;
struct stn_gather;
struct stn_owner;
struct stn_steal;

/*
 * Changed under the net lock. The count is also read by the owner's thread
 * without the lock; it pairs with nothing, as only that thread makes it larger.
 */
struct stn_returns {
	struct stn_bundle *bundle; /* NULL: none */
	uint32_t to;		   /* the home of all of them */
	uint64_t due_ns;	   /* they leave then at the latest */
	_Atomic(uint32_t) count;
};

/*
 * stn_returns_take: the owner's worker has run @job: keeps its result, or sends
 * it together with others. Returns false if the caller must send it. Net lock
 * held.
 */
bool stn_returns_take(struct stn_owner *owner, struct stn_job *job,
		      const struct stn_gather *outputs);

/*
 * stn_returns_send: sends the results that the owner's worker has kept. Takes
 * the net lock.
 * stn_returns_send_all: sends those of all workers. Net lock held.
 * stn_returns_tick: sends those of all workers that are due at @now. Returns
 * when to call it again, or STN_FOREVER. Net lock held.
 */
void stn_returns_send(struct stn_owner *owner);
void stn_returns_send_all(struct stn_steal *steal);
uint64_t stn_returns_tick(struct stn_steal *steal, uint64_t now);

/*
 * stn_returns_died: node @home has died: keeps the results as orphans. Net lock
 * held.
 */
void stn_returns_died(struct stn_steal *steal, uint32_t home);

/* stn_returns_fini: frees what was never sent. */
void stn_returns_fini(struct stn_returns *returns);

#endif
