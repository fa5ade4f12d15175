/*
 * virtual_cost.h: the cost of computing in virtual time. Code of the runtime
 * that works for a task (a spawn, a sync) runs between stn_computed and
 * stn_computes. In the machine's time both do nothing, unless work and span are
 * measured (span.h).
 */
#ifndef STN_STEAL_VIRTUAL_COST_H
#define STN_STEAL_VIRTUAL_COST_H

#include "steal/steal.h"

/* stn_cost_begin, _end: stn_computes and stn_computed if they do something. */
void stn_cost_begin(struct stn_owner *owner);
void stn_cost_end(struct stn_owner *owner, unsigned tasks);

/*
 * stn_cost_hollow: whether the simulation is hollow: costs are counted, and
 * what only moves and computes large data is left out, so that more nodes fit
 * into this machine.
 */
bool stn_cost_hollow(const struct stn_node *node);

/* stn_computes: from now on the worker runs the program's code. */
static inline void
stn_computes(struct stn_owner *owner)
{
	if (owner->node->sim || owner->span.entries)
		stn_cost_begin(owner);
}

/*
 * stn_computed: the worker has run the program's code up to now, and has
 * spawned @tasks since stn_computes. Messages may be handled during the call.
 */
static inline void
stn_computed(struct stn_owner *owner, unsigned tasks)
{
	if (owner->node->sim || owner->span.entries)
		stn_cost_end(owner, tasks);
}

#endif
