/*
 * lrs_far.h: how LRS steals from other clusters.
 */
#ifndef STN_STEAL_BALANCERS_LRS_FAR_H
#define STN_STEAL_BALANCERS_LRS_FAR_H

#include "steal/balancers/lrs.h"

/*
 * stn_lrs_ask_far: asks a node of another cluster, unless enough requests are
 * out. stn_lrs_learn_link: learns from the answer to @ask, if another cluster
 * gave it. stn_lrs_lends: the balancer's lends().
 */
void stn_lrs_ask_far(struct stn_lrs *lrs, const struct stn_snapshot *snapshot,
		     struct stn_moves *moves);
void stn_lrs_learn_link(struct stn_lrs *lrs,
			const struct stn_snapshot *snapshot,
			const struct stn_ask *ask);
enum stn_verdict stn_lrs_lends(void *state, const struct stn_snapshot *snapshot,
			       const struct stn_parked *thief,
			       const struct stn_loan *loan);

#endif
