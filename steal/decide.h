/*
 * decide.h: calls the node's balancer (balance.h) and carries out its moves.
 * Net lock held.
 */
#ifndef STN_STEAL_DECIDE_H
#define STN_STEAL_DECIDE_H

#include "steal/balance.h"
#include "steal/sateen_record.h"

struct stn_request;
struct stn_steal;

/* A node's balancer. */
struct stn_deciding {
	const struct stn_balancer *balancer;
	const void *settings; /* the balancer's */
	void *state;	      /* the balancer's */
	uint64_t tick_ns;     /* time of the balancer's next tick */
};

/*
 * stn_decide_idle: a record is wanted; @idle if a worker wants it. Returns
 * false if no node can be asked; the requests parked here must then be refused.
 */
bool stn_decide_idle(struct stn_steal *steal, bool idle);

/*
 * stn_decide_granted, _refused: the balancer's granted and refused; @bytes is
 * the size of the answer's payload, @now the time at which the record
 * arrived.
 */
bool stn_decide_granted(struct stn_steal *steal,
			const struct stn_request *request, uint64_t bytes,
			uint64_t now);
bool stn_decide_refused(struct stn_steal *steal,
			const struct stn_request *request, uint64_t bytes);

/*
 * stn_decide_ran, _lends, _waits: the balancer's ran, lends and waits. The
 * balancer must have lends and waits.
 */
void stn_decide_ran(struct stn_steal *steal, uint64_t bytes, uint64_t took_ns);
enum stn_verdict stn_decide_lends(struct stn_steal *steal,
				  const struct stn_parked *thief,
				  const struct stn_loan *loan);
bool stn_decide_waits(struct stn_steal *steal, uint32_t from);

/*
 * stn_decide_withdrawn: the result of the record @done has arrived; or, if
 * @done is NULL, a request that was parked here was cancelled.
 */
void stn_decide_withdrawn(struct stn_steal *steal,
			  const struct stn_record *done);

/*
 * stn_decide_died: node @rank has died, and is no member any more; or it has
 * joined.
 */
void stn_decide_died(struct stn_steal *steal, uint32_t rank);

/* stn_decide_longer: the node's queue may have become longer. */
void stn_decide_longer(struct stn_steal *steal);

/*
 * stn_decide_told: node @from has told its load. Returns false if @from should
 * tell another node. The balancer must have told.
 */
bool stn_decide_told(struct stn_steal *steal, uint32_t from, uint32_t load);

/*
 * stn_decide_tick: calls the balancer's tick when due, but not before this node
 * is a member of the run. Returns when to call it again.
 */
uint64_t stn_decide_tick(struct stn_steal *steal, uint64_t now);

#endif
