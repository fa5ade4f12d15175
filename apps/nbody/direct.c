#include "apps/nbody/direct.h"

#include <math.h>

void
nbody_direct_one(const struct nbody_world *world,
		 const struct nbody_particle *particles,
		 const struct nbody_particle *target, double *potential_p,
		 double gradient[3])
{
	double square = world->softening * world->softening;
	double sum = 0, x = 0, y = 0, z = 0;

	for (uint64_t i = 0; i < world->count; i++) {
		const struct nbody_particle *other = &particles[i];
		double dx = other->at[0] - target->at[0];
		double dy = other->at[1] - target->at[1];
		double dz = other->at[2] - target->at[2];
		double r2 = dx * dx + dy * dy + dz * dz + square;
		bool counts = r2 > 0 && other->number != target->number;
		double inverse = counts ? 1 / sqrt(r2) : 0;
		double potential = other->source * inverse;
		double strength = potential * inverse * inverse;

		sum += potential;
		x += strength * dx;
		y += strength * dy;
		z += strength * dz;
	}
	*potential_p = sum;
	gradient[0] = x;
	gradient[1] = y;
	gradient[2] = z;
}

void
nbody_direct(const struct nbody_world *world, struct nbody_particle *particles,
	     uint64_t first, uint64_t targets)
{
	for (uint64_t i = first; i < first + targets; i++)
		nbody_direct_one(world, particles, &particles[i],
				 &particles[i].potential,
				 particles[i].gradient);
}
