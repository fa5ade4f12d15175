/*
 * forces.h: the sums at all particles, on one processor.
 */
#ifndef NBODY_FORCES_H
#define NBODY_FORCES_H

#include "apps/app.h"
#include "apps/nbody/particle.h"

/*
 * nbody_forces: sets the sums of all particles: by the fast multipole method,
 * with relative errors of the potential of at most @error, or directly if
 * @error is 0. Returns false, with the reason in @why, if there isn't enough
 * memory.
 */
bool nbody_forces(const struct nbody_world *world,
		  struct nbody_particle *particles, double error,
		  struct app_why *why);

#endif
