/*
 * plan.h: the tables of the fast multipole method, which a process makes once.
 */
#ifndef NBODY_PLAN_H
#define NBODY_PLAN_H

#include "apps/fmm/fmm.h"
#include "apps/nbody/particle.h"

/* What all nodes of a run agree on. */
struct nbody_method {
	double error;	     /* relative, of the potential */
	uint32_t both_signs; /* sources may be negative */
	uint32_t unfused;    /* no fused multiply-add, see STN_FUSES */
};

/*
 * nbody_plan: the plan for a method. The first call makes it; all calls of a
 * process have the same method. Any thread. Returns NULL if there isn't enough
 * memory.
 */
const struct fmm_plan *nbody_plan(const struct nbody_method *method);

/*
 * nbody_bodies: writes what the method needs of particles to @bodies. @away is
 * subtracted from their coordinates; see fmm_recentre.
 */
void nbody_bodies(const struct nbody_particle *particles, uint64_t count,
		  const double away[3], struct fmm_body *bodies);

/* nbody_set: sets the sums of particles. */
void nbody_set(struct nbody_particle *particles, uint64_t count,
	       const struct fmm_field *fields);

#endif
