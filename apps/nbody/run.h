/*
 * run.h: a run of nbody: its particles, and what is reported of them.
 */
#ifndef NBODY_RUN_H
#define NBODY_RUN_H

#include "apps/nbody/motion.h"
#include "apps/nbody/record.h"

struct nbody_run {
	struct nbody_options options;
	struct nbody_world world;
	struct nbody_record record;
	struct nbody_particle *particles; /* all, in the order of numbers */
	double before[NBODY_QUANTITIES], after[NBODY_QUANTITIES];
	double seconds;
	struct app_why why;
};

/*
 * nbody_plain_run: makes all steps on one processor. Returns false with the
 * reason in run->why.
 */
bool nbody_plain_run(struct nbody_run *run);

#endif
