/*
 * lrs_calls.h: how long calls take, as a node of LRS has measured.
 */
#ifndef STN_STEAL_BALANCERS_LRS_CALLS_H
#define STN_STEAL_BALANCERS_LRS_CALLS_H

#include "steal/balancers/lrs.h"

/*
 * stn_lrs_ran: the balancer's ran().
 * stn_lrs_call_us: the duration of a typical call that this node has stolen; 0:
 * unknown. stn_lrs_is_short: whether calls of that duration are short.
 * stn_lrs_will_take: estimates for how many ns a record will run.
 */
void stn_lrs_ran(void *state, uint64_t bytes, uint64_t took_ns);
uint32_t stn_lrs_call_us(const struct stn_lrs *lrs);
bool stn_lrs_is_short(uint32_t us);
uint64_t stn_lrs_will_take(const struct stn_lrs *lrs,
			   const struct stn_loan *loan);

#endif
