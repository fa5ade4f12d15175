/*
 * lrs_lifelines.h: how a node of LRS waits without work.
 */
#ifndef STN_STEAL_BALANCERS_LRS_LIFELINES_H
#define STN_STEAL_BALANCERS_LRS_LIFELINES_H

#include "steal/balancers/lrs.h"

/*
 * stn_lrs_is_patient: whether the node has been refused so often that it sends
 * lifelines. stn_lrs_tie: sends those that are not out. stn_lrs_untie: the
 * lifeline to @victim has been answered.
 */
bool stn_lrs_is_patient(const struct stn_lrs *lrs);
void stn_lrs_tie(struct stn_lrs *lrs, const struct stn_snapshot *snapshot,
		 uint32_t cluster, struct stn_moves *moves);
void stn_lrs_untie(struct stn_lrs *lrs, uint32_t victim);

#endif
