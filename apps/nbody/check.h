/*
 * check.h: the error of the sums, measured against direct sums.
 */
#ifndef NBODY_CHECK_H
#define NBODY_CHECK_H

#include "apps/nbody/particle.h"

/* Relative errors in the L2 norm, over the samples. */
struct nbody_errors {
	double potential, gradient;
};

/*
 * nbody_check: measures the errors at @samples of the particles, at most at
 * all.
 * @particles are in the order of their numbers.
 */
struct nbody_errors nbody_check(const struct nbody_world *world,
				const struct nbody_particle *particles,
				uint64_t samples);

#endif
