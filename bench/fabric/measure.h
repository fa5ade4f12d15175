/*
 * measure.h: the loops that measure paths; the same loops for every path.
 */
#ifndef BENCH_FABRIC_MEASURE_H
#define BENCH_FABRIC_MEASURE_H

#include "bench/fabric/ours.h"
#include "bench/fabric/schedule.h"
#include "bench/sample.h"

#define MEASURE_PATHS 8

/* The paths of a run; path 0 is Sateen's own. Both nodes have the same ones. */
struct measured {
	struct ours *ours;
	struct path *paths[MEASURE_PATHS];
	size_t count;
	const char *transport, *provider; /* columns of the report's rows */
	char in_pieces[32]; /* name of path 0 with payloads in pieces */
};

/*
 * measure: node 0: measures all sizes and paths of the schedule, alternating
 * between paths, and adds the rows to @report.
 */
void measure(struct measured *measured, const struct schedule *schedule,
	     struct report *report);

/* measure_row: adds a row on payloads or messages of @bytes to @report. */
void measure_row(const struct measured *measured,
		 const struct schedule *schedule, const char *path,
		 const char *unit, size_t bytes, struct sample *sample,
		 struct report *report);

/*
 * measure_overlap: node 0: measures streams over Sateen's path only. Their
 * thread sleeps when idle, as a node's progress thread does, while another
 * thread computes on the same core.
 */
void measure_overlap(struct measured *measured, const struct schedule *schedule,
		     struct report *report);

/* measure_serve: node 1: obeys node 0's orders until OURS_LEAVE. */
void measure_serve(const struct measured *measured);

#endif
