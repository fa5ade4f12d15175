/*
 * cost.h: what computing costs in virtual time. Whatever the runtime does for a
 * task (a spawn, a sync) stands between stn_computed and stn_computes. In the
 * machine's time both are nothing.
 */
#ifndef STN_STEAL_COST_H
#define STN_STEAL_COST_H

#include "steal/node.h"

void stn_cost_begin(struct stn_worker *worker);
void stn_cost_end(struct stn_worker *worker, unsigned tasks);

/* stn_computes: from now on the worker is in the program's hands. */
static inline void
stn_computes(struct stn_worker *worker)
{
	if (worker->node->sim)
		stn_cost_begin(worker);
}

/* stn_computed: up to now; it has spawned @tasks. Messages may be handled. */
static inline void
stn_computed(struct stn_worker *worker, unsigned tasks)
{
	if (worker->node->sim)
		stn_cost_end(worker, tasks);
}

#endif
