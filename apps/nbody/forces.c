#include "apps/nbody/forces.h"

#include "apps/nbody/direct.h"

bool
nbody_forces(const struct nbody_world *world, struct nbody_particle *particles,
	     double error, struct app_why *why)
{
	(void)why;
	(void)error;
	for (uint64_t i = 0; i < world->count; i++) {
		struct nbody_sums sums = nbody_direct(particles, world->count,
						      world->softening, i);

		particles[i].potential = sums.potential;
		for (int d = 0; d < 3; d++)
			particles[i].gradient[d] = sums.gradient[d];
	}
	return true;
}
