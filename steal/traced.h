/*
 * traced.h: the events of stealing in a trace (node/trace/event.h).
 */
#ifndef STN_STEAL_TRACED_H
#define STN_STEAL_TRACED_H

#include "node/trace/event.h"
#include "steal/steal.h"

/*
 * `number` is the low half of the task's hash (stn_table_hash) for RUN and
 * NEIGHBOUR, and the number of the request for STOLEN and REFUSED.
 */
enum {
	STN_TRACE_RUN = 16,  /* a worker ran a job that node `other` has sent */
	STN_TRACE_NEIGHBOUR, /* a worker ran a record of its node */
	STN_TRACE_SYNC,	     /* a worker waited for a stolen call */
	STN_TRACE_STOLEN,    /* from the request until the record was here */
	STN_TRACE_REFUSED    /* from the request until the refusal */
};

#define STN_STEAL_TRACED 5
extern const struct stn_trace_kind stn_steal_traced[STN_STEAL_TRACED];

/* stn_steal_trace_name: the service's trace_name: the name of the task. */
const char *stn_steal_trace_name(void *steal,
				 const struct stn_trace_event *event);

/* stn_traced_run: records that the worker has run a call of @task. */
static inline void
stn_traced_run(const struct stn_owner *owner, uint8_t kind, uint64_t began,
	       const struct stn_task *task, uint32_t home)
{
	if (!owner->worker->trace)
		return;
	stn_trace_ended(
		owner->worker, kind, began,
		(uint32_t)stn_table_hash(&owner->steal->program->table, task),
		home);
}

#endif
