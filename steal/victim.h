/*
 * victim.h: the victim's side of a steal between nodes: answers a request with
 * a record or a refusal. Net lock held.
 */
#ifndef STN_STEAL_VICTIM_H
#define STN_STEAL_VICTIM_H

#include "steal/balance.h"

struct stn_steal;

/*
 * stn_victim_grant: answers a request with a record, if the node has one that
 * the balancer lends. Otherwise returns false and sets @thief->probe if the
 * refusal must carry a probe.
 */
bool stn_victim_grant(struct stn_steal *steal, struct stn_parked *thief);

/* stn_victim_refuse: answers a request with a refusal. */
void stn_victim_refuse(struct stn_steal *steal, const struct stn_parked *thief);

#endif
