/*
 * thief.h: the thief's side of a steal between nodes: asks, accepts records
 * that were granted or pushed, and sends results home.
 */
#ifndef STN_STEAL_THIEF_H
#define STN_STEAL_THIEF_H

#include <stdatomic.h>

#include "transport/transport.h"

struct stn_job;
struct stn_owner;
struct stn_steal;
struct stn_wire;

/*
 * The pauses between synchronous requests after failed steals. Changed under
 * the net lock. ask_at_ns is also read without the lock, as a hint: a stale
 * value makes one request early or late. It pairs with nothing.
 */
struct stn_pausing {
	_Atomic(uint64_t) ask_at_ns; /* earliest time of the next one */
	uint64_t pause_ns;	     /* length of the next pause */
	uint64_t spent_ns; /* on calls that ended since the last grant */
	uint32_t failures; /* steals in a row that gained nothing */
};

/*
 * stn_thief_ask: this node is idle. Sends the requests that the balancer wants,
 * if the pause is over. Returns when to call it again if no answer arrives
 * before. Takes the net lock.
 */
uint64_t stn_thief_ask(struct stn_steal *steal);

/*
 * stn_thief_granted, _pushed, _refused: a message of that kind has arrived. Net
 * lock held.
 */
void stn_thief_granted(struct stn_steal *steal,
		       const struct stn_message *message,
		       const struct stn_wire *wire);
void stn_thief_pushed(struct stn_steal *steal,
		      const struct stn_message *message,
		      const struct stn_wire *wire);
/*
 * stn_thief_bundle: a BUNDLE has arrived. STN_MALFORMED if its records can't be
 * right.
 */
STN_CHECKED enum stn_err stn_thief_bundle(struct stn_steal *steal,
					  const struct stn_message *message,
					  const struct stn_wire *wire);
void stn_thief_refused(struct stn_steal *steal,
		       const struct stn_message *message, uint32_t number);

/*
 * stn_thief_died: node @victim has died: its answers will not come. Net lock
 * held.
 */
void stn_thief_died(struct stn_steal *steal, uint32_t victim);

/*
 * stn_thief_judge: decides whether to pause after a stolen call that took
 * @spent_ns. A very short call takes longer with its steal than it would have
 * taken at home. If records come in bundles, the calls since the last grant
 * count together. Net lock held.
 */
void stn_thief_judge(struct stn_steal *steal, uint64_t spent_ns);

/*
 * stn_thief_return: the owner's worker has run the job, which took @spent_ns.
 * Sends the result home and frees the job. Takes the net lock.
 */
void stn_thief_return(struct stn_owner *owner, struct stn_job *job,
		      uint64_t spent_ns);

#endif
