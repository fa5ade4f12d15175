#include "apps/nbody/check.h"

#include <math.h>

#include "apps/nbody/direct.h"
#include "apps/random.h"

/* One of the particles of the sample's equal share of all numbers. */
static uint64_t
choose(uint64_t count, uint64_t samples, uint64_t sample)
{
	uint64_t first = count * sample / samples;
	uint64_t width = count * (sample + 1) / samples - first;

	return first + app_mix(sample + APP_RANDOM_STEP) % width;
}

static void
add(double value, double right, double sums[2])
{
	sums[0] += (value - right) * (value - right);
	sums[1] += right * right;
}

/* The relative error, from sums of squares; all may be 0, or not finite. */
static double
relative(double differences, double values)
{
	return differences == 0 ? 0 : sqrt(differences / values);
}

struct nbody_errors
nbody_check(const struct nbody_world *world,
	    const struct nbody_particle *particles, uint64_t samples)
{
	double sums[4] = { 0 };

	if (samples > world->count)
		samples = world->count;
	for (uint64_t i = 0; i < samples; i++) {
		uint64_t number = choose(world->count, samples, i);
		const struct nbody_particle *target = &particles[number];
		struct nbody_sums right = nbody_direct(
			particles, world->count, world->softening, number);

		add(target->potential, right.potential, &sums[0]);
		for (int d = 0; d < 3; d++)
			add(target->gradient[d], right.gradient[d], &sums[2]);
	}
	return (struct nbody_errors){ relative(sums[0], sums[1]),
				      relative(sums[2], sums[3]) };
}
