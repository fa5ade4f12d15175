#include "apps/nbody/direct.h"

#include <math.h>

struct nbody_sums
nbody_direct(const struct nbody_particle *particles, uint64_t count,
	     double softening, uint64_t target)
{
	const double *at = particles[target].at;
	double sum = 0, x = 0, y = 0, z = 0;

	for (uint64_t i = 0; i < count; i++) {
		double dx = particles[i].at[0] - at[0];
		double dy = particles[i].at[1] - at[1];
		double dz = particles[i].at[2] - at[2];
		double r2 = dx * dx + dy * dy + dz * dz + softening * softening;
		double inverse = r2 > 0 && i != target ? 1 / sqrt(r2) : 0;
		double potential = particles[i].source * inverse;
		double strength = potential * inverse * inverse;

		sum += potential;
		x += strength * dx;
		y += strength * dy;
		z += strength * dz;
	}
	return (struct nbody_sums){ sum, { x, y, z } };
}
