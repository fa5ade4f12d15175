/*
 * distribution.h: particles by their number. A particle is computed from its
 * number and the seed alone, so each node can make those that it needs.
 */
#ifndef NBODY_DISTRIBUTION_H
#define NBODY_DISTRIBUTION_H

#include "apps/nbody/particle.h"

/*
 * uniform: in the unit cube.
 * gaussian: around the unit cube's centre, with a standard deviation of 0.1 in
 *     each direction; none is outside of the cube.
 * corner: the same around (1/4, 1/4, 1/4), the middle of one octant.
 * plummer: Plummer's model in equilibrium, with the scale length 1; a
 * thousandth of the mass, which is the farthest, is left out.
 *
 * In the first three, all particles are at rest. The masses are equal, and
 * their sum is 1. Charges are as large as masses, and every other one is
 * negative; if their number is odd, the last particle has none. So they cancel.
 */
enum nbody_distribution {
	NBODY_UNIFORM,
	NBODY_GAUSSIAN,
	NBODY_CORNER,
	NBODY_PLUMMER,
	NBODY_DISTRIBUTIONS
};

/* nbody_distribution_name: as on the command line. */
const char *nbody_distribution_name(enum nbody_distribution distribution);

/*
 * nbody_distribution_find: sets *@distribution_p to the one of that name.
 * Returns false if there is none.
 */
bool nbody_distribution_find(const char *name,
			     enum nbody_distribution *distribution_p);

/* nbody_make: makes particle @number of @world; its sums are 0. */
void nbody_make(const struct nbody_world *world,
		enum nbody_distribution distribution, uint64_t seed,
		uint64_t number, struct nbody_particle *particle);

#endif
