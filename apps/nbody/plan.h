/*
 * plan.h: the tables of the fast multipole method, which a process makes once.
 */
#ifndef NBODY_PLAN_H
#define NBODY_PLAN_H

#include "apps/fmm/fmm.h"
#include "apps/nbody/particle.h"

/*
 * nbody_plan: the plan for relative errors of @error. The first call makes it;
 * all calls of a process have the same error. Any thread. Returns NULL if there
 * isn't enough memory.
 */
const struct fmm_plan *nbody_plan(double error);

/* nbody_bodies: writes what the method needs of particles to @bodies. */
void nbody_bodies(const struct nbody_particle *particles, uint64_t count,
		  struct fmm_body *bodies);

/* nbody_set: sets the sums of particles. */
void nbody_set(struct nbody_particle *particles, uint64_t count,
	       const struct fmm_field *fields);

#endif
