/*
 * measure.h: the loops that measure a path, the same for all of them.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "apps/bench/fabric/ours.h"
#include "apps/bench/fabric/plan.h"

#define MEASURE_PATHS 8

/* The paths of a run, by number; number 0 is ours. The same on both nodes. */
struct measured {
	struct ours *ours;
	struct path *paths[MEASURE_PATHS];
	size_t count;
	char in_pieces[32]; /* the name of ours, with payloads in pieces */
};

/* What the rows say of where they come from. */
struct measured_where {
	const char *transport, *provider;
};

/* measure: node 0: all sizes and paths of the plan, in turns, into @report. */
void measure(struct measured *measured, const struct plan *plan,
	     const struct measured_where *where, struct report *report);

/*
 * measure_overlap: as measure: streams of ours only, by a thread that sleeps
 * when it has nothing to do, as a node's does, while another computes on the
 * same core.
 */
void measure_overlap(struct measured *measured, const struct plan *plan,
		     const struct measured_where *where, struct report *report);

/* measure_serve: node 1: the other end, until node 0 is through. */
void measure_serve(const struct measured *measured);

#endif
