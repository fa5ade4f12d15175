/*
 * direct.h: the sums of each particle with each other one, as they are defined.
 */
#ifndef NBODY_DIRECT_H
#define NBODY_DIRECT_H

#include "apps/nbody/particle.h"

/*
 * nbody_direct: sets the sums of @targets of the particles, from @first on,
 * with all particles. A particle at the same point, without softening, adds
 * nothing.
 */
void nbody_direct(const struct nbody_world *world,
		  struct nbody_particle *particles, uint64_t first,
		  uint64_t targets);

/* nbody_direct_one: the sums at @target, of all particles but itself. */
void nbody_direct_one(const struct nbody_world *world,
		      const struct nbody_particle *particles,
		      const struct nbody_particle *target, double *potential_p,
		      double gradient[3]);

#endif
