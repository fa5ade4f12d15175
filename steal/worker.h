/*
 * worker.h: how a worker finds records when its own deque has none: in its
 * node's inbox, in the deques of the node's other workers, and on other nodes
 * by way of the balancer. A worker looks there when it is idle, and while it
 * waits in a sync for a stolen record.
 */
#ifndef STN_STEAL_WORKER_H
#define STN_STEAL_WORKER_H

#include "node/worker.h"
#include "steal/sateen_record.h"

struct stn_owner;

/* stn_steal_work, _seek: the service's work and seek; see node/service.h. */
bool stn_steal_has_work(void *state);
bool stn_steal_work(void *steal, struct stn_worker *worker);
uint64_t stn_steal_seek(void *steal, struct stn_worker *worker);

/*
 * stn_steal_await: runs other work until @record, which @thief has taken, is
 * done. Called on the owner's thread. Blocks.
 */
void stn_steal_await(struct stn_owner *owner, struct stn_record *record,
		     int32_t thief);

#endif
