/*
 * balancers.h: all balancers. Each is a file in steal/balancers/, and a line
 * here and in balancers.c.
 */
#ifndef STN_STEAL_BALANCERS_H
#define STN_STEAL_BALANCERS_H

#include <stdio.h>

#include "steal/balance.h"

extern const struct stn_balancer stn_balancer_rs;
extern const struct stn_balancer stn_balancer_rp;
extern const struct stn_balancer stn_balancer_chs;
extern const struct stn_balancer stn_balancer_cls;
extern const struct stn_balancer stn_balancer_crs;
extern const struct stn_balancer stn_balancer_lrs;

/* stn_balancer_find: the balancer called @name, or NULL. */
const struct stn_balancer *stn_balancer_find(const char *name);

/* stn_balancer_at: the balancer of this number; NULL behind the last. */
const struct stn_balancer *stn_balancer_at(size_t number);

/* stn_balancer_list: prints one line for each balancer. */
void stn_balancer_list(FILE *out);

#endif
