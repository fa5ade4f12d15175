/*
 * requests.h: the steal requests that this node has sent and that have no
 * answer yet.
 */
#ifndef STN_STEAL_REQUESTS_H
#define STN_STEAL_REQUESTS_H

#include <stdatomic.h>

#include "steal/balance.h"
#include "steal/counts.h"

struct stn_steal;

struct stn_request {
	bool out;
	bool landing; /* granted; the payload is arriving */
	bool cancelled;
	uint32_t number;
	uint64_t asked_ns;
	struct stn_ask ask;
};

/*
 * Written under the net lock. The atomic members are also read without it.
 * stn_thief_ask reads synchronous as a hint and checks again under the lock.
 * sync_owed and steal_owed read out and lifelines as hints. steal_settled waits
 * until out is 0: the answer's handler calls stn_node_wake after it has changed
 * out, and that pairs with the generation read in stn_node_await.
 */
struct stn_requests {
	uint32_t last_number;
	_Atomic(bool) synchronous;   /* a synchronous request is out */
	_Atomic(uint32_t) out;	     /* number of requests that are out, */
	_Atomic(uint32_t) lifelines; /* and of those that are lifelines */
	uint32_t room;		     /* stn_balancer.requests */
	struct stn_request *all;
};

/*
 * stn_request_send: sends a request. The victim may park it for @patience_us
 * microseconds if it has no record.
 */
void stn_request_send(struct stn_steal *steal, const struct stn_ask *ask,
		      uint32_t patience_us);

/*
 * stn_request_cancel_all: tells all victims that no record is wanted any more.
 * The requests stay out until their answers arrive.
 * stn_request_cancel_lifelines: does the same for lifelines only.
 */
void stn_request_cancel_all(struct stn_steal *steal);
void stn_request_cancel_lifelines(struct stn_steal *steal);

/*
 * stn_request_find: the request with this number to node @victim that has no
 * answer yet; NULL if there is none.
 */
struct stn_request *stn_request_find(struct stn_steal *steal, uint32_t victim,
				     uint32_t number);

/*
 * stn_request_owed: whether an answer should arrive soon. The answer to a
 * lifeline may take long. Any thread; a hint.
 */
static inline bool
stn_request_owed(const struct stn_requests *requests)
{
	return requests->out > requests->lifelines;
}

/* stn_request_close: the answer to @request has arrived completely. */
void stn_request_close(struct stn_steal *steal, struct stn_request *request);

/*
 * stn_request_find_lost: a request to node @victim, which has died, that no
 * payload is arriving for; NULL if there is none.
 */
struct stn_request *stn_request_find_lost(struct stn_steal *steal,
					  uint32_t victim);

/* stn_request_counts: the counts for requests of the kind of @ask. */
struct stn_steals *stn_request_counts(struct stn_steal *steal,
				      const struct stn_ask *ask);

#endif
