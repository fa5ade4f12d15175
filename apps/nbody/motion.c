#include "apps/nbody/motion.h"

#include <math.h>
#include <string.h>

#include "apps/random.h"

/*
 * The acceleration is this x the gradient. The gradient points to where the
 * potential grows, so masses fall along it. A charge moves against it.
 */
static double
pull(const struct nbody_world *world, const struct nbody_particle *particle)
{
	return world->charges ? -particle->source / particle->mass : 1;
}

void
nbody_kick(const struct nbody_world *world, struct nbody_particle *particles,
	   uint64_t count, double time)
{
	for (uint64_t i = 0; i < count; i++) {
		struct nbody_particle *particle = &particles[i];
		double factor = time * pull(world, particle);

		for (int d = 0; d < 3; d++)
			particle->velocity[d] += factor * particle->gradient[d];
	}
}

void
nbody_drift(struct nbody_particle *particles, uint64_t count, double time)
{
	for (uint64_t i = 0; i < count; i++)
		for (int d = 0; d < 3; d++)
			particles[i].at[d] += time * particles[i].velocity[d];
}

static uint64_t
bits_of(const struct nbody_particle *particle)
{
	uint64_t hash = app_mix(particle->number + 1), word;

	for (int d = 0; d < 3; d++) {
		memcpy(&word, &particle->at[d], sizeof(word));
		hash = app_mix(hash + APP_RANDOM_STEP + word);
		memcpy(&word, &particle->velocity[d], sizeof(word));
		hash = app_mix(hash + APP_RANDOM_STEP + word);
	}
	return hash;
}

static double
kinetic(const struct nbody_particle *particle)
{
	const double *v = particle->velocity;

	return particle->mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2;
}

static double
quantity_of(const struct nbody_world *world,
	    const struct nbody_particle *particle, enum nbody_quantity quantity)
{
	uint64_t mask = (1u << NBODY_CHECKSUM_BITS) - 1;

	switch (quantity) {
	case NBODY_KINETIC:
		return kinetic(particle);
	case NBODY_POTENTIAL:
		return (world->charges ? 0.5 : -0.5) * particle->source *
		       particle->potential;
	case NBODY_STRENGTH:
		return fabs(particle->source);
	case NBODY_CHECKSUM_LOW:
		return (double)(bits_of(particle) & mask);
	case NBODY_CHECKSUM_HIGH:
		return (double)(bits_of(particle) >> NBODY_CHECKSUM_BITS &
				mask);
	default:
		return particle->mass *
		       particle->velocity[quantity - NBODY_MOMENTUM_X];
	}
}

double
nbody_add(const struct nbody_world *world,
	  const struct nbody_particle *particles, uint64_t count,
	  enum nbody_quantity quantity)
{
	double sum = 0;

	for (uint64_t i = 0; i < count; i++)
		sum += quantity_of(world, &particles[i], quantity);
	return sum;
}
