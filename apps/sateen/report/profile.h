/*
 * profile.h: how the workers of a traced run spent their time while main ran.
 */
#ifndef APPS_SATEEN_REPORT_PROFILE_H
#define APPS_SATEEN_REPORT_PROFILE_H

#include "apps/sateen/report/run.h"

#define BINS 240 /* main's time is divided into so many */

/* Times of all workers of a node, a cluster or the run, in ns. */
struct shares {
	double works, waits; /* in syncs; the rest is idle */
	double all;
	/* Of the time without work: while a request was out to ... */
	double asks_near, asks_wide; /* its own cluster, another one */
};

struct profile {
	struct shares all, bins[BINS]; /* of the run */
	struct shares *nodes, *clusters;
	struct shares (*node_bins)[BINS]; /* by node */
};

/*
 * profile_make: returns false if there is no memory. In both cases the caller
 * calls profile_fini.
 */
bool profile_make(const struct run *run, struct profile *profile);
void profile_fini(struct profile *profile);

/* shares_add: adds @more to @shares. */
void shares_add(struct shares *shares, const struct shares *more);

#endif
