#include "apps/nbody/forces.h"

#include <stdlib.h>

#include "apps/nbody/plan.h"

bool
nbody_forces(const struct nbody_world *world, struct nbody_particle *particles,
	     double error, struct app_why *why)
{
	const struct fmm_plan *plan = nbody_plan(error);
	struct fmm_body *bodies = malloc(world->count * sizeof(*bodies));
	struct fmm_field *fields = malloc(world->count * sizeof(*fields));
	bool summed = plan && bodies && fields;

	if (summed) {
		nbody_bodies(particles, world->count, bodies);
		summed = !fmm_whole(plan, bodies, world->count, fields, NULL);
	}
	if (summed)
		nbody_set(particles, world->count, fields);
	free(bodies);
	free(fields);
	return summed || app_because(why, "out of memory");
}
