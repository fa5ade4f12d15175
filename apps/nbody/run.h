/*
 * run.h: a run of nbody: its particles, and what is reported of them.
 */
#ifndef NBODY_RUN_H
#define NBODY_RUN_H

#include <sateen.h>

#include "apps/nbody/motion.h"
#include "apps/nbody/plan.h"
#include "apps/nbody/record.h"

struct nbody_run {
	struct nbody_options options;
	struct nbody_world world;
	struct nbody_method method;
	struct nbody_record record;
	struct nbody_particle *particles; /* all, in the order of numbers */
	double before[NBODY_QUANTITIES], after[NBODY_QUANTITIES];
	double seconds;
	long resumed; /* steps that were on disk, in a run with --resume */
	struct app_why why;
};

/*
 * nbody_run_steps: makes all steps, with all particles in one array. Returns
 * false with the reason in run->why.
 */
bool nbody_run_steps(STN_FRAME, struct nbody_run *run);

#endif
