/*
 * parked.h: the list of parked requests: steal requests of other nodes that
 * wait on this node for a record. Net lock held, unless said otherwise.
 */
#ifndef STN_STEAL_PARKED_H
#define STN_STEAL_PARKED_H

#include <stdatomic.h>

#include "steal/balance.h"

#define STN_PARKED_MOST 64

struct stn_job;
struct stn_owner;
struct stn_steal;
struct stn_wire_request;

struct stn_parked_list {
	struct stn_parked *all;	 /* oldest first */
	uint32_t room;		 /* for as many; grows when needed */
	_Atomic(uint32_t) count; /* see stn_parked_spawned */
	uint64_t search_at_ns;	 /* no search for them before this time */
	bool waited; /* a job waited in the inbox at the last look */
};

/* stn_parked_fini: frees the list. */
void stn_parked_fini(struct stn_parked_list *parked);

/*
 * stn_parked_ask: node @from asks for a record. Grants a record, parks the
 * request, or refuses it.
 */
void stn_parked_ask(struct stn_steal *steal, uint32_t from,
		    const struct stn_wire_request *request);

/*
 * stn_parked_progress: answers the parked requests that can be granted now, and
 * refuses those whose time is over. Returns when to call it again.
 */
uint64_t stn_parked_progress(struct stn_steal *steal);

/*
 * stn_parked_end: a search has failed. Refuses the requests that were parked
 * for its end.
 */
void stn_parked_end(struct stn_steal *steal);

/* stn_parked_cancel: node @from has cancelled the request @number. */
void stn_parked_cancel(struct stn_steal *steal, uint32_t from, uint32_t number);

/*
 * stn_parked_died: node @from has died. Drops its requests. If requests wait
 * for the ends of searches, refuses all others: the balancer orders the nodes
 * anew, and their senders ask again by the new order.
 */
void stn_parked_died(struct stn_steal *steal, uint32_t from);

/*
 * stn_parked_pass: grants @job to the oldest parked request that may take it.
 * Returns false if there is none.
 */
bool stn_parked_pass(struct stn_steal *steal, struct stn_job *job);

/*
 * stn_parked_spawned: a worker has spawned while requests are parked; tries to
 * answer them. Called on the worker's thread without the net lock.
 *
 * The count is read there after the fence in announce (spawn.c). That fence
 * pairs with the fence in park (parked.c): either the spawning worker sees the
 * new count, or the worker's next spawn sees the lowered limit.
 */
void stn_parked_spawned(struct stn_owner *owner);

#endif
