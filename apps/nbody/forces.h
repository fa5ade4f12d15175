/*
 * forces.h: the sums at all particles.
 */
#ifndef NBODY_FORCES_H
#define NBODY_FORCES_H

#include <sateen.h>

#include "apps/app.h"
#include "apps/nbody/plan.h"

/*
 * nbody_forces: sets the sums of all particles by the fast multipole method, on
 * one processor. Returns false, with the reason in @why, if there isn't enough
 * memory.
 */
bool nbody_forces(const struct nbody_world *world,
		  struct nbody_particle *particles,
		  const struct nbody_method *method, struct app_why *why);

/*
 * nbody_forces_directly: sets the sums of all particles directly. Divides the
 * work into tasks, or does it in one loop if @sequential.
 */
bool nbody_forces_directly(STN_FRAME, const struct nbody_world *world,
			   struct nbody_particle *particles, bool sequential,
			   struct app_why *why);

#endif
