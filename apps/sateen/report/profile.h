/*
 * profile.h: how the workers of a traced run spent their time while main ran.
 */
#ifndef APPS_SATEEN_REPORT_PROFILE_H
#define APPS_SATEEN_REPORT_PROFILE_H

#include "apps/sateen/report/run.h"

#define BINS 240      /* main's time is divided into so many */
#define ROWS_MOST 128 /* nodes or clusters with bins of their own */

/* Times of all workers of a node, a cluster or the run, in ns. */
struct shares {
	double works, waits; /* in syncs, or for arrays; the rest is idle */
	double all;
	/* Without work, while a request to the node's own cluster was out. */
	double asks_near;
	/* Without work, while a request to another cluster was out. */
	double asks_wide;
};

struct profile {
	struct shares all, bins[BINS]; /* of the run */
	struct shares *nodes, *clusters;
	struct shares (*node_bins)[BINS]; /* NULL: more than ROWS_MOST nodes */
	/* Of the first ROWS_MOST clusters. */
	struct shares (*cluster_bins)[BINS];
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
