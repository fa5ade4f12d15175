/*
 * claims.h: how long workers are bound (steal.h) after a death.
 *
 * A running orphan is *unclaimed* until a call adopts it (adopt.h). Let X be a
 * record that is run again, and that begins on top of a job in a worker's
 * stack. X can wait for that job only if X, or a call that X waits for, adopts
 * an orphan after X has begun. So when each running orphan has been adopted or
 * has ended, no worker need be bound any more.
 *
 * Each node that runs unclaimed orphans says so by a notice of the view. When
 * it runs none any more, it tells the root (CLAIMED). When all these nodes have
 * done so, the root tells all nodes (CLAIMED, over the tree of the view). The
 * next view begins this anew.
 *
 * Net lock held.
 */
#ifndef STN_STEAL_CLAIMS_H
#define STN_STEAL_CLAIMS_H

#include "node/membership.h"
#include "steal/wire.h"

struct stn_steal;

/* All zeros: no node has announced unclaimed orphans. */
struct stn_claims {
	bool announced;	   /* this node has, and has not told the root since */
	uint64_t *waiting; /* on the root: a bit for each such rank, or NULL */
	uint32_t count;	   /* number of these bits */
};

void stn_claims_fini(struct stn_claims *claims);

/*
 * stn_claims_notices: announces that this node runs unclaimed orphans.
 * stn_claims_noticed: takes the announcements of all nodes.
 */
void stn_claims_notices(struct stn_steal *steal);
void stn_claims_noticed(struct stn_steal *steal,
			const struct stn_notice *notices, size_t count);

/* stn_claims_changed: an orphan has been adopted, or has ended. */
void stn_claims_changed(struct stn_steal *steal);

/* stn_claims_take: node @from has sent a CLAIMED. */
void stn_claims_take(struct stn_steal *steal, uint32_t from,
		     const struct stn_wire_claimed *claimed);

#endif
