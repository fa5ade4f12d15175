#include <stdlib.h>

#include "apps/nbody/direct.h"
#include "apps/nbody/forces.h"

#define PAIRS_OF_TASK (1 << 22)

/* The sums at the particles from @first on, in one loop. */
static void
add_plainly(const struct nbody_particle *particles, uint64_t count,
	    double softening, uint64_t first, struct nbody_sums *sums,
	    uint64_t targets)
{
	for (uint64_t i = 0; i < targets; i++)
		sums[i] = nbody_direct(particles, count, softening, first + i);
}

STN_TASK_VOID(nbody_add_directly, struct stn_out, sums, struct stn_in,
	      particles, double, softening, uint64_t, first)
{
	struct nbody_sums *to = sums.at;
	uint64_t targets = sums.row_bytes / sizeof(*to), half = targets / 2;
	uint64_t count = particles.row_bytes / sizeof(struct nbody_particle);

	if (targets < 2 || targets * count <= PAIRS_OF_TASK) {
		add_plainly(particles.at, count, softening, first, to, targets);
		STN_WORK(targets * count);
		return;
	}
	STN_SPAWN(nbody_add_directly, STN_OUT(to, half), particles, softening,
		  first);
	STN_CALL(nbody_add_directly, STN_OUT(to + half, targets - half),
		 particles, softening, first + half);
	STN_SYNC(nbody_add_directly);
}

bool
nbody_forces_directly(STN_FRAME, const struct nbody_world *world,
		      struct nbody_particle *particles, bool sequential,
		      struct app_why *why)
{
	uint64_t count = world->count;
	struct nbody_sums *sums = malloc(count * sizeof(*sums));

	if (!sums)
		return app_because(why, "out of memory");
	if (sequential)
		add_plainly(particles, count, world->softening, 0, sums, count);
	else
		STN_CALL(
			nbody_add_directly, STN_OUT(sums, count),
			STN_IN((const struct nbody_particle *)particles, count),
			world->softening, 0);
	for (uint64_t i = 0; i < count; i++) {
		particles[i].potential = sums[i].potential;
		for (int d = 0; d < 3; d++)
			particles[i].gradient[d] = sums[i].gradient[d];
	}
	free(sums);
	return true;
}
