#include "apps/nbody/distribution.h"

#include <math.h>
#include <string.h>

#include "apps/nbody/elementary.h"
#include "apps/random.h"

#define DEVIATION 0.1	   /* of gaussian and corner */
#define PLUMMER_MASS 0.999 /* of plummer's mass that has particles */

static const char *const names[NBODY_DISTRIBUTIONS] = {
	[NBODY_UNIFORM] = "uniform",
	[NBODY_GAUSSIAN] = "gaussian",
	[NBODY_CORNER] = "corner",
	[NBODY_PLUMMER] = "plummer",
};

const char *
nbody_distribution_name(enum nbody_distribution distribution)
{
	return names[distribution];
}

bool
nbody_distribution_find(const char *name,
			enum nbody_distribution *distribution_p)
{
	for (int i = 0; i < NBODY_DISTRIBUTIONS; i++)
		if (!strcmp(name, names[i])) {
			*distribution_p = (enum nbody_distribution)i;
			return true;
		}
	return false;
}

/* A random number above 0 and below 1. */
static double
real(struct app_random *random)
{
	uint64_t bits = app_mix(random->state += APP_RANDOM_STEP) >> 12;

	return ((double)bits + 0.5) * 0x1p-52;
}

/* Makes a vector of that length in a random direction. */
static void
turn(struct app_random *random, double length, double vector[3])
{
	double z = 2 * real(random) - 1;
	double radius = length * sqrt(1 - z * z), cosine, sine;

	nbody_turn(real(random), &cosine, &sine);
	vector[0] = radius * cosine;
	vector[1] = radius * sine;
	vector[2] = length * z;
}

static double
normal(struct app_random *random)
{
	double radius = sqrt(-2 * nbody_log(real(random))), cosine, sine;

	nbody_turn(real(random), &cosine, &sine);
	return radius * cosine;
}

/* A coordinate inside of the unit cube. */
static double
near(struct app_random *random, double centre)
{
	double at;

	do
		at = centre + DEVIATION * normal(random);
	while (!(at >= 0 && at < 1));
	return at;
}

/*
 * Aarseth, Henon and Wielen, "A comparison of numerical methods for the study
 * of star cluster dynamics", Astronomy and Astrophysics 37 (1974), appendix.
 * The speed is a share of the escape velocity, whose probability is
 * proportional to share^2 (1 - share^2)^3.5, which is below 0.1.
 */
static void
make_plummer(struct app_random *random, struct nbody_particle *particle)
{
	double root = nbody_root(PLUMMER_MASS * real(random));
	double radius = 1 / sqrt(root * root - 1);
	double share, rest, height;

	turn(random, radius, particle->at);
	do {
		share = real(random);
		height = 0.1 * real(random);
		rest = 1 - share * share;
	} while (height > share * share * rest * rest * rest * sqrt(rest));
	turn(random, share * sqrt(2 / sqrt(1 + radius * radius)),
	     particle->velocity);
}

static double
source_of(const struct nbody_world *world, uint64_t number)
{
	double size = 1 / (double)world->count;

	if (!world->charges)
		return size;
	if (number + 1 == world->count && world->count % 2)
		return 0;
	return number % 2 ? -size : size;
}

void
nbody_make(const struct nbody_world *world,
	   enum nbody_distribution distribution, uint64_t seed, uint64_t number,
	   struct nbody_particle *particle)
{
	/* Each particle has a sequence of random numbers of its own. */
	struct app_random random = { app_mix(app_mix(seed + 1) +
					     number * APP_RANDOM_STEP) };

	*particle =
		(struct nbody_particle){ .number = number,
					 .mass = 1 / (double)world->count,
					 .source = source_of(world, number) };
	if (distribution == NBODY_PLUMMER) {
		make_plummer(&random, particle);
		return;
	}
	for (int d = 0; d < 3; d++)
		particle->at[d] = distribution == NBODY_UNIFORM ? real(&random)
				  : distribution == NBODY_CORNER
					  ? near(&random, 0.25)
					  : near(&random, 0.5);
}
