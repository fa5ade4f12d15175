/*
 * direct.h: the sums of each particle with each other one, as they are defined.
 */
#ifndef NBODY_DIRECT_H
#define NBODY_DIRECT_H

#include "apps/nbody/particle.h"

/* The sums at a particle. */
struct nbody_sums {
	double potential, gradient[3];
};

/*
 * nbody_direct: the sums at particle @target of all @count particles but
 * itself. A particle at the same point, without softening, adds nothing.
 */
struct nbody_sums nbody_direct(const struct nbody_particle *particles,
			       uint64_t count, double softening,
			       uint64_t target);

#endif
